// SPDX-License-Identifier: BSD-3-Clause
// Boost splits the command line; words, switches and keys are sorted here, because keys are those of all applications.
#include "cli/arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>

namespace strata::cli {
namespace {

namespace po = boost::program_options;

struct VerbRow {
    const char* name;
    Verb verb;
    const char* operand;  ///< what must follow; nullptr: nothing
};
constexpr VerbRow verbs[] = {
    {"run", Verb::run, "a job file"},
    {"plan", Verb::plan, "a job file"},
    {"resume", Verb::resume, "a checkpoint"},
    {"show", Verb::show, "a result file"},
    {"keys", Verb::keys, "an application"},
    {"selftest", Verb::selftest, nullptr},
    {"help", Verb::help, nullptr},
    {"version", Verb::version, nullptr},
};

std::vector<std::string> verb_names() {
    std::vector<std::string> names;
    for (const VerbRow& row : verbs) names.emplace_back(row.name);
    return names;
}

const std::vector<std::string> switches = {"help", "version", "quiet", "json", "ranks"};

void take_option(const po::option& option, const std::vector<std::string>& key_names, Arguments& arguments,
                 std::vector<std::string>& words, InputErrors& errors) {
    const std::string& name = option.string_key;
    const std::string value = option.value.empty() ? "" : option.value.front();
    std::int64_t number = 0;
    if (option.position_key >= 0)
        words.insert(words.end(), option.value.begin(), option.value.end());
    else if (name == "help")
        arguments.verb_help = true;
    else if (name == "version")
        arguments.verb = Verb::version;
    else if (name == "quiet")
        arguments.quiet = true;
    else if (name == "json")
        arguments.json = true;
    else if (name == "ranks") {
        if (parse_integer(value, number) && number >= 1 && number <= 10000000)
            arguments.plan_ranks = static_cast<int>(number);
        else
            errors.add("--ranks=" + printable(value) + " must be an integer from 1 to 10000000.");
    } else if (option.unregistered) {
        std::vector<std::string> known = key_names;
        known.insert(known.end(), switches.begin(), switches.end());
        const std::string typed =
            name.empty() && !option.original_tokens.empty() ? option.original_tokens.front() : "--" + name;
        const std::string near = nearest(name, known);
        errors.add(printable(typed) + " is neither a switch nor a key." +
                   (near.empty() ? "" : " Did you mean --" + near + "?"));
    } else if (value.find('#') != std::string::npos || value.empty()) {
        errors.add("--" + name + "=" + printable(value) +
                   (value.empty() ? " lacks a value." : " must not hold '#', as in a job file."));
    } else {
        arguments.overrides.push_back({name, value});
    }
}

void take_words(const std::vector<std::string>& words, Arguments& arguments, InputErrors& errors) {
    if (words.empty()) {
        if (arguments.verb != Verb::version && !arguments.verb_help)
            errors.add(
                "Say what to do: strata run JOB, plan, resume, show, keys or selftest; strata --help says more.");
        return;
    }
    const auto row = std::ranges::find_if(verbs, [&](const VerbRow& r) { return words[0] == r.name; });
    if (row == std::end(verbs)) {
        errors.add("'" + printable(words[0]) + "' is not a verb of strata." + suggestion(words[0], verb_names()) +
                   " The verbs are run, plan, resume, show, keys, selftest.");
        return;
    }
    arguments.verb = row->verb;
    const std::size_t expected = row->operand == nullptr ? 1 : 2;
    if (words.size() < expected && !arguments.verb_help)
        errors.add("strata " + words[0] + " needs " + row->operand + ".");
    if (words.size() > expected)
        errors.add("'" + printable(words[expected]) + "' is one word too many; keys are set by --section.key=value.");
    if (words.size() > 1) arguments.operand = words[1];
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv, const std::vector<std::string>& key_names,
                          InputErrors& errors) {
    po::options_description known;
    known.add_options()("help", "")("version", "")("quiet", "")("json", "")("ranks", po::value<std::string>())(
        "word", po::value<std::vector<std::string>>());
    for (const std::string& name : key_names) known.add_options()(name.c_str(), po::value<std::string>(), "");
    po::positional_options_description positions;
    positions.add("word", -1);

    Arguments arguments;
    std::vector<std::string> words;
    try {
        const int style = (po::command_line_style::unix_style & ~po::command_line_style::allow_guessing &
                           ~po::command_line_style::allow_short);
        const auto parsed = po::command_line_parser(argc, argv)
                                .options(known)
                                .positional(positions)
                                .style(style)
                                .allow_unregistered()
                                .run();
        for (const po::option& option : parsed.options) take_option(option, key_names, arguments, words, errors);
    } catch (const po::error& error) {
        errors.add(std::string("On the command line, ") + error.what() + ".");
        return arguments;
    }
    take_words(words, arguments, errors);
    return arguments;
}

}  // namespace strata::cli
