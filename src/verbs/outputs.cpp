// SPDX-License-Identifier: BSD-3-Clause
// Outputs of the sample jobs of an application. Columns of one array, such as sz-0, sz-1, are listed as one output sz-N,
// and so are results of a numbered family, such as energy-1, energy-2; a family starts at 0 or 1, so that magnetisation-2
// and magnetisation-4 are none.
#include "verbs/outputs.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>
#include <sstream>

#include "cli/help.hpp"
#include "io/json.hpp"
#include "io/provenance.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"
#include "study/registry.hpp"
#include "verbs/quiet_run.hpp"

namespace strata {
namespace {

struct Output {
    std::string kind, name, unit, meaning;
};

/// Outputs that the samples before did not have, and the keys of the sample; none for the first.
struct SampleOutputs {
    std::string settings;
    std::vector<Output> outputs;
};

/// "run.task=spectrum observables.a=1 n 0" as overrides: a word without "=" belongs to the value before it.
std::vector<cli::Override> overrides_of(const std::string& settings) {
    std::vector<cli::Override> overrides;
    std::istringstream words(settings);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos && !overrides.empty())
            overrides.back().value += " " + word;
        else
            overrides.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    return overrides;
}

/// The name of an output, with NAME in the place of one of the user's own, which a sample defines.
std::string with_own_name(const std::string& name, const std::vector<cli::Override>& overrides) {
    for (const cli::Override& o : overrides)
        if (constexpr std::string_view section = "observables."; o.key.starts_with(section)) {
            const std::regex own("(^|-)" + o.key.substr(section.size()) + "(-|$)");
            if (std::regex_search(name, own)) return std::regex_replace(name, own, "$1NAME$2");
        }
    return name;
}

/// Takes the line of a key out of a job file in which the names of keys are unique.
void remove_key(std::string& job, const std::string& key) {
    const std::size_t at = job.find("\n" + key.substr(key.find('.') + 1) + " = ");
    if (at != std::string::npos) job.erase(at, job.find('\n', at + 1) - at);
}

std::vector<Output> outputs_of(const QuietRun& run) {
    std::vector<Output> found;
    for (const Quantity& q : run.record.quantities) found.push_back({"result", q.name, q.unit, q.meaning});
    for (const Column& c : run.record.series.columns())
        found.push_back({"series", c.array.empty() ? c.name : c.array + "-N", c.unit, c.meaning});
    for (const Figure& f : run.record.performance) found.push_back({"performance", f.name, f.unit, f.meaning});
    for (const DistributedArray& array : run.application->state())
        if (!array.meaning.empty()) found.push_back({"checkpoint", array.shape.name, "1", array.meaning});
    return found;
}

/// Replaces the numbers of families, NAME-0, NAME-1 ..., in names by N, and leaves the first member of each.
std::vector<Output> families_as_one(std::vector<Output> outputs) {
    static const std::regex numbered("(.*-)([0-9]+)(-.*)?");
    std::set<std::pair<std::string, std::string>> names;
    for (const Output& o : outputs) names.insert({o.kind, o.name});
    std::set<std::pair<std::string, std::string>> listed;
    std::vector<Output> found;
    for (Output& o : outputs) {
        std::smatch part;
        if (std::regex_match(o.name, part, numbered)) {
            const std::string before = part[1], after = part[3];
            const auto has = [&](const char* number) { return names.contains({o.kind, before + number + after}); };
            if (has("1") && (has("0") || has("2"))) o.name = before + "N" + after;
        }
        if (listed.insert({o.kind, o.name}).second) found.push_back(o);
    }
    return found;
}

std::string line(const Output& o) {
    const auto padded = [](std::string text, std::size_t width) {
        text.resize(std::max(text.size(), width), ' ');
        return text;
    };
    return "  " + padded(o.kind, 12) + padded(o.name, 28) + " " + padded(o.unit, 9) + " " + o.meaning + "\n";
}

/// The outputs that contain the word, by sample.
std::vector<SampleOutputs> all_outputs(const ApplicationEntry& entry, const std::string& word,
                                       const Invocation& invocation) {
    std::vector<SampleOutputs> all;
    std::set<std::pair<std::string, std::string>> listed;
    const Communicator alone = Communicator::alone();
    std::vector<cli::Override> base;
    for (const std::string& sample : entry.samples) {
        std::vector<cli::Override> overrides = base;
        std::string job = entry.example;
        const bool is_base = &sample == &entry.samples.front();
        for (const cli::Override& o : overrides_of(sample)) {
            std::erase_if(overrides, [&](const cli::Override& earlier) { return earlier.key == o.key; });
            if (o.value.empty())
                remove_key(job, o.key);
            else
                overrides.push_back(o);
        }
        if (is_base) base = overrides;
        const QuietRun run = run_quietly(alone, "sample", job, overrides, invocation);
        SampleOutputs found = {is_base ? "" : sample, {}};
        std::vector<Output> outputs = families_as_one(outputs_of(run));
        for (Output& o : outputs) o.name = with_own_name(o.name, overrides);
        for (const Output& o : outputs)
            if (listed.insert({o.kind, o.name}).second && cli::contains_word(o.name + " " + o.meaning, word))
                found.outputs.push_back(o);
        if (!found.outputs.empty()) all.push_back(found);
    }
    return all;
}

std::string as_text(const std::string& application, const std::vector<SampleOutputs>& samples) {
    std::string text = "Outputs of " + application + ": kind, name, unit, meaning. Results are in NAME.h5 under " +
                       "/results, series under /series;\ncheckpoint arrays in NAME.checkpoint.h5. N is a number.\n";
    for (const SampleOutputs& sample : samples) {
        text += sample.settings.empty() ? "\n" : "\nWith " + sample.settings + ":\n";
        for (const Output& o : sample.outputs) text += line(o);
    }
    return text;
}

std::string as_json(const std::string& application, const std::vector<SampleOutputs>& samples) {
    io::Json json = {{"layout", io::layout_version}, {"version", io::program_version()}, {"application", application}};
    for (const SampleOutputs& sample : samples) {
        io::Json with = io::Json::object();
        for (const cli::Override& o : overrides_of(sample.settings))
            with[o.key] = o.value.empty() ? io::Json(nullptr) : io::Json(o.value);
        for (const Output& o : sample.outputs)
            json["outputs"].push_back(
                {{"kind", o.kind}, {"name", o.name}, {"unit", o.unit}, {"meaning", o.meaning}, {"with", with}});
    }
    return io::dumped(json) + "\n";
}

}  // namespace

void print_outputs(const cli::Arguments& arguments, const Invocation& invocation) {
    const ApplicationEntry& entry = find_application(arguments.operand);
    const std::vector<SampleOutputs> samples = all_outputs(entry, arguments.word, invocation);
    if (samples.empty())
        throw Error(ExitCode::bad_input,
                    "No output of " + entry.name + " has '" + printable(arguments.word) + "' in its name or meaning.");
    const bool json = arguments.form == cli::Form::json;
    std::fputs((json ? as_json(entry.name, samples) : as_text(entry.name, samples)).c_str(), stdout);
}

}  // namespace strata
