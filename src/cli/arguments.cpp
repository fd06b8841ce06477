// SPDX-License-Identifier: BSD-3-Clause
// Boost splits the command line; words, switches and keys are distinguished here, because the valid keys depend on the
// job.
#include "cli/arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

namespace strata::cli {
namespace {

namespace po = boost::program_options;

/// The names of all options that look like keys, so that Boost also accepts --section.key value.
std::set<std::string> key_names(int argc, const char* const* argv) {
    std::set<std::string> names;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i], name = word.substr(0, word.find('='));
        const bool plain = std::ranges::all_of(
            name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; });
        if (name.starts_with("--") && plain && name.find('.') != std::string_view::npos) names.emplace(name.substr(2));
    }
    return names;
}

/// Adds an override --section.key=value; the reader of the job checks that the key exists.
void take_key(const std::string& name, const std::string& value, Arguments& arguments, InputErrors& errors) {
    if (value.find('#') != std::string::npos || value.empty())
        errors.add(
            "--" + printable(name) + "=" + printable(value) +
            (value.empty() ? " lacks a value; write --section.key=value." : " must not hold '#', as in a job file."));
    else
        arguments.overrides.push_back({name, value});
}

/// Reads a list of different, ascending numbers of ranks.
void take_ranks(const std::string& value, Arguments& arguments, InputErrors& errors) {
    arguments.plan_ranks.clear();
    std::istringstream words(value + ",");
    for (std::string word; std::getline(words, word, ',');) {
        std::int64_t number = 0;
        const std::int64_t last = arguments.plan_ranks.empty() ? 0 : arguments.plan_ranks.back();
        if (parse_integer(word, number) && number > last && number <= 10000000)
            arguments.plan_ranks.push_back(static_cast<int>(number));
        else
            return errors.add("--ranks=" + printable(value) +
                              " must be an integer from 1 to 10000000, or several in ascending order, e.g. 1,2,4.");
    }
}

void take_form(Form form, Arguments& arguments, InputErrors& errors) {
    if (arguments.form != Form::table && arguments.form != form) errors.add("--json and --csv exclude each other.");
    arguments.form = form;
}

void take_option(const po::option& option, Arguments& arguments, std::vector<std::string>& words, InputErrors& errors) {
    const std::string& name = option.string_key;
    const std::string value = option.value.empty() ? "" : option.value.front();
    if (option.position_key >= 0)
        words.insert(words.end(), option.value.begin(), option.value.end());
    else if (name == "help")
        arguments.verb_help = true;
    else if (name == "version")
        arguments.verb = Verb::version;
    else if (name == "quiet")
        arguments.quiet = true;
    else if (name == "json" || name == "csv")
        take_form(name == "json" ? Form::json : Form::csv, arguments, errors);
    else if (name == "watch")
        arguments.watch = true;
    else if (name == "series")
        arguments.series = true;
    else if (name == "averages")
        arguments.averages = true;
    else if (name == "outputs")
        arguments.outputs = true;
    else if (name == "ranks")
        take_ranks(value, arguments, errors);
    else if (name == "machine")
        arguments.machine = value;
    else if (name == "application" || name.find('.') != std::string::npos)
        take_key(name, value, arguments, errors);
    else {
        const std::string typed =
            name.empty() && !option.original_tokens.empty() ? option.original_tokens.front() : "--" + name;
        const std::string near = nearest(name, switch_names());
        errors.add(printable(typed) + " is no switch, and keys are written --section.key=value." +
                   (near.empty() ? "" : " Did you mean --" + near + "?"));
    }
}

/// Adds errors for keys and switches that the verb does not use.
void check_use(const VerbRow& row, const Arguments& arguments, InputErrors& errors) {
    const std::string verb = std::string("strata ") + row.name;
    if (row.keys == Keys::refused)
        for (const Override& o : arguments.overrides)
            errors.add("--" + printable(o.key) + " says nothing here: " + verb + " takes no keys of a job.");
    if (!arguments.machine.empty() && row.verb != Verb::plan) errors.add("--machine belongs to strata plan.");
    if (!arguments.plan_ranks.empty() && row.verb != Verb::plan)
        errors.add("--ranks belongs to strata plan; the ranks of a run are those of mpirun -n.");
    const bool json = arguments.form == Form::json;
    if (arguments.form != Form::table && row.verb != Verb::show && row.verb != Verb::plan &&
        !(json && row.verb == Verb::keys))
        errors.add(json ? "--json belongs to strata show, plan and keys." : "--csv belongs to strata show and plan.");
    if (arguments.watch && row.verb != Verb::show) errors.add("--watch belongs to strata show.");
    if (arguments.series && row.verb != Verb::show) errors.add("--series belongs to strata show.");
    if (arguments.series && (arguments.form == Form::json || arguments.watch))
        errors.add("--series prints CSV, no --json and no --watch.");
    if (arguments.averages && row.verb != Verb::show) errors.add("--averages belongs to strata show.");
    if (arguments.averages && !arguments.series && arguments.form != Form::csv)
        errors.add(
            "--averages belongs to --csv or --series of a scan; the table has averages where keys are averaged.");
    if (arguments.watch && arguments.form != Form::table) errors.add("--watch shows tables, no --json and no --csv.");
    if (arguments.outputs && row.verb != Verb::keys) errors.add("--outputs belongs to strata keys.");
    if (arguments.outputs && row.verb == Verb::keys && !arguments.overrides.empty())
        errors.add("--outputs lists those of all values of keys: leave the keys out.");
}

/// Adds an error for a word that the verb does not take; one that looks like a key is shown as the option it was meant
/// to be.
void add_superfluous(const std::string& word, InputErrors& errors) {
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const bool key = name.find('.') < name.find('=') && name.find('=') != std::string::npos;
    errors.add("'" + printable(word) + "' is one word too many; keys are set by --section.key=value." +
               (key ? " Did you mean --" + printable(name) + "?" : ""));
}

void take_words(const std::vector<std::string>& words, Arguments& arguments, InputErrors& errors) {
    if (words.empty()) {
        if (arguments.verb != Verb::version && !arguments.verb_help)
            errors.add("Say what to do: " + joined(verb_names()) + "; strata --help says more.");
        return;
    }
    if (words[0] == "-h") return static_cast<void>(arguments.verb_help = true);
    const auto row = std::ranges::find_if(verb_rows(), [&](const VerbRow& r) { return words[0] == r.name; });
    if (row == verb_rows().end()) {
        const char* verb = words[0].ends_with(".ini") ? "run" : words[0].ends_with(".h5") ? "show" : nullptr;
        errors.add("'" + printable(words[0]) + "' is not a verb of strata." +
                   (verb != nullptr
                        ? " Write strata " + std::string(verb) + " " + printable(words[0]) + "."
                        : suggestion(words[0], verb_names()) + " The verb must be " + joined(verb_names()) + "."));
        return;
    }
    arguments.verb = row->verb;
    check_use(*row, arguments, errors);
    if (words.size() < 2 && (arguments.outputs || (row->verb == Verb::keys && !arguments.overrides.empty())))
        errors.add("strata keys with " + std::string(arguments.outputs ? "--outputs" : "a key") +
                   " needs an application.");
    if (words.size() < 2 && row->operand == Operand::needed && !arguments.verb_help)
        errors.add("strata " + words[0] + " needs " + row->operand_name + ".");
    if (words.size() - 1 > row->max_operands) add_superfluous(words[row->max_operands + 1], errors);
    if (words.size() > 1) arguments.operand = words[1];
    if (words.size() > 2) arguments.word = words[2];
    if (row->verb == Verb::help && words.size() > 1) arguments.help_of = words[1];
    if (arguments.verb_help) {
        if (row->verb != Verb::help) arguments.help_of = words[0];
        arguments.verb = Verb::help;
    }
    if (row->verb == Verb::show && words.size() > 2) arguments.more.assign(words.begin() + 2, words.end());
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv, InputErrors& errors) {
    po::options_description known;
    known.add_options()("word", po::value<std::vector<std::string>>());
    for (const SwitchRow& row : switch_rows())
        if (row.value[0] == '\0')
            known.add_options()(row.name, "");
        else
            known.add_options()(row.name, po::value<std::string>());
    for (const std::string& name : key_names(argc, argv))
        known.add_options()(name.c_str(), po::value<std::string>(), "");
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
        for (const po::option& option : parsed.options) take_option(option, arguments, words, errors);
    } catch (const po::invalid_command_line_syntax& error) {
        const std::string name = error.get_option_name();
        const bool lacks = error.kind() != po::invalid_syntax::extra_parameter;
        errors.add(printable(name) +
                   (lacks ? " lacks a value; write " + printable(name) + "=VALUE." : " takes no value."));
        return arguments;
    } catch (const po::error& error) {
        errors.add(std::string("On the command line, ") + error.what() + ".");
        return arguments;
    }
    take_words(words, arguments, errors);
    return arguments;
}

}  // namespace strata::cli
