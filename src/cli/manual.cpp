// SPDX-License-Identifier: BSD-3-Clause
// Manual pages as groff input, and a completion script of bash.
#include "cli/manual.hpp"

#include "cli/verbs.hpp"

namespace strata::cli {
namespace {

/// Text for groff: minus signs and backslashes as such, no line that begins with a request.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool begins = out.empty() || out.back() == '\n';
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        out += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
    }
    return out;
}

std::string head(const std::string& name, const std::string& title, const std::string& version) {
    return ".TH " + name + " 1 \"\" \"strata " + version + "\"\n.SH NAME\n" + roff(name + " - " + title) + "\n";
}

std::string section(const std::string& title) { return ".SH " + title + "\n"; }
std::string entry(const std::string& term, const std::string& text) {
    return ".TP\n\\fB" + roff(term) + "\\fR\n" + roff(text) + "\n";
}
std::string verbatim(const std::string& text) { return ".nf\n" + roff(text) + ".fi\n"; }

std::string option(const SwitchRow& row) {
    return "--" + std::string(row.name) + (row.value[0] == '\0' ? "" : "=" + std::string(row.value));
}

/// The words between quotes of bash.
template <class Row, class Text>
std::string joined(const std::vector<Row>& rows, const Text& text) {
    std::string all;
    for (const Row& row : rows) all += (all.empty() ? "" : " ") + text(row);
    return all;
}

/// Pattern of the files that a verb takes.
std::string file_pattern(Names names) {
    switch (names) {
        case Names::jobs: return ".ini";
        case Names::checkpoints:
        case Names::results: return ".h5";
        default: return "";
    }
}

constexpr const char* completing = R"(
_strata_application() {  # the application of the command line or of the job file
    local word
    for word in "${words[@]}"; do
        [[ $word == --application=* ]] && { echo "${word#*=}"; return; }
    done
    for word in "${words[@]}"; do
        [[ $word == *.ini && -r $word ]] && sed -n 's/^ *application *= *\([a-z-]*\).*/\1/p' "$word" && return
    done
}

_strata() {
    local line=${COMP_LINE:0:COMP_POINT} words current verb application option file
    read -ra words <<< "$line"
    current=""
    [[ $line == *[!\ ] ]] && current=${words[-1]}
    verb=${words[1]:-}
    COMPREPLY=()
    if (( ${#words[@]} < 2 )) || [[ $verb == "$current" && ${#words[@]} == 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${!_strata_switches[*]} --help --version" -- "$current")
    elif [[ $current == --*=* ]]; then
        application=$(_strata_application)
        option=${current%%=*}
        [[ $option == --application ]] && option="applications" || option="$application $option"
        mapfile -t COMPREPLY < <(compgen -W "${_strata_words[$option]:-}" -- "${current#*=}")
    elif [[ $current == -* ]]; then
        application=$(_strata_application)
        option=${_strata_switches[$verb]:-}
        [[ " $_strata_keyed " == *" $verb "* && -n $application ]] && option+=" ${_strata_keys[$application]:-}"
        mapfile -t COMPREPLY < <(compgen -W "$option" -- "$current")
        [[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2> /dev/null
    elif [[ -n ${_strata_operands[$verb]:-} ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_strata_operands[$verb]}" -- "$current")
    elif [[ -n ${_strata_files[$verb]:-} ]]; then
        while read -r file; do
            [[ -d $file || $file == *"${_strata_files[$verb]}" ]] && COMPREPLY+=("$file")
        done < <(compgen -f -- "$current")
        compopt -o filenames 2> /dev/null
    fi
}
complete -F _strata strata
)";

}  // namespace

std::string manual(const std::vector<ApplicationTitle>& applications, const std::string& version) {
    std::string text = head("strata", "lattice codes on one MPI runtime", version) + section("SYNOPSIS");
    for (const VerbRow& row : verb_rows())
        text += ".B strata " + std::string(row.name) + "\n" + roff(row.synopsis) + "\n.br\n";
    text += section("DESCRIPTION") +
            roff(
                "A job file has an application, a lattice and a model in sections of keys. One rank needs no "
                "mpirun; mpirun -n 4 strata run JOB.ini runs on four ranks, with the same numbers.\n");
    text += section("VERBS");
    for (const VerbRow& row : verb_rows()) text += entry(row.name, row.summary);
    text += section("OPTIONS");
    for (const SwitchRow& row : switch_rows())
        text += entry(option(row), row.meaning + (row.verbs[0] == '\0' ? "" : " (" + std::string(row.verbs) + ")"));
    text += section("APPLICATIONS");
    for (const ApplicationTitle& a : applications) text += entry(a.name, a.title + "; see strata-" + a.name + "(1)");
    return text + section("EXAMPLES") + verbatim(examples_text()) + section("SIGNALS AND EXIT STATUS") +
           verbatim(signals_text());
}

std::string manual_of(const ApplicationTitle& application, const std::vector<Key>& keys, const std::string& example,
                      const std::string& version) {
    return head("strata-" + application.name, application.title, version) + section("KEYS") +
           verbatim(key_table(application.name, keys, example)) + section("SEE ALSO") + "strata(1)\n";
}

std::string completion(const std::vector<ApplicationKeys>& applications) {
    const std::string names = joined(applications, [](const ApplicationKeys& a) { return a.name; });
    std::string text = "# Completion of strata for bash; written by strata completion.\n", keyed = "_strata_keyed=\"";
    for (const char* table : {"switches", "operands", "files", "keys", "words"})
        text += "declare -gA _strata_" + std::string(table) + "=()\n";
    const auto put = [&](const char* table, const std::string& at, const std::string& value) {
        if (!value.empty()) text += "_strata_" + std::string(table) + "[\"" + at + "\"]=\"" + value + "\"\n";
    };
    for (const VerbRow& verb : verb_rows()) {
        std::string switches;
        for (const SwitchRow& row : switch_rows())
            if (takes(verb, row))
                switches += (switches.empty() ? "--" : " --") + std::string(row.name) + (row.value[0] ? "=" : "");
        put("switches", verb.name, switches);
        put("files", verb.name, file_pattern(verb.names));
        if (verb.names == Names::applications) put("operands", verb.name, names);
        if (verb.names == Names::verbs)
            put("operands", verb.name, joined(verb_names(), [](const std::string& n) { return n; }) + " " + names);
        if (verb.keys == Keys::taken) keyed += std::string(verb.name) + " ";
    }
    put("words", "applications", names);
    for (const ApplicationKeys& a : applications) {
        put("keys", a.name, joined(a.keys, [](const Key& key) { return "--" + key.name + "="; }));
        for (const Key& key : a.keys) {
            const std::vector<std::string> yes_no = {"yes", "no"};
            const auto& choices = key.type == ValueType::yes_no ? yes_no : key.choices;
            put("words", a.name + " --" + key.name, joined(choices, [](const std::string& c) { return c; }));
        }
    }
    return text + keyed + "\"\n" + completing;
}

}  // namespace strata::cli
