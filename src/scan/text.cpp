// SPDX-License-Identifier: BSD-3-Clause
// The text of a scan: one line per property, with tabs between fields. Keys are written by name and looked up among the
// keys of the application when the text is read.
#include <sstream>

#include "scan/definition.hpp"
#include "strata/error.hpp"

namespace strata::scan {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
    if (fields.empty() || line.ends_with('\t')) fields.emplace_back();
    return fields;
}

}  // namespace

std::string to_text(const Scan& scan) {
    std::string text;
    for (const ScanAxis& axis : scan.axes) {
        text += "axis\n";
        for (const ScanKey& key : axis.keys) text += "key\t" + key.key.name + "\t" + cli::printable(key.origin) + "\n";
        for (const std::vector<std::string>& row : axis.values) {
            text += "values";
            for (const std::string& value : row) text += "\t" + value;
            text += "\n";
        }
    }
    for (const std::string& name : scan.averaged) text += "averaged\t" + name + "\n";
    if (scan.chained) text += "chained\t" + std::to_string(*scan.chained) + "\n";
    if (!scan.seed.empty()) text += "seeds\t" + scan.seed[0].key.name + "\t" + std::to_string(scan.first_seed) + "\n";
    return text;
}

Scan from_text(const std::string& text, const std::vector<Key>& keys) {
    Scan scan;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> fields = fields_of(line);
        const bool of_key = (fields[0] == "key" || fields[0] == "seeds") && fields.size() == 3;
        const Key* key = of_key ? find_key(keys, fields[1]) : nullptr;
        const bool in_axis = !scan.axes.empty();
        std::int64_t number = 0;
        if (fields[0] == "axis")
            scan.axes.emplace_back();
        else if (fields[0] == "averaged" && fields.size() == 2)
            scan.averaged.push_back(fields[1]);
        else if (fields[0] == "chained" && fields.size() == 2 && parse_integer(fields[1], number) && number >= 0 &&
                 number < static_cast<std::int64_t>(scan.axes.size()))
            scan.chained = static_cast<std::size_t>(number);
        else if (fields[0] == "seeds" && key != nullptr && parse_integer(fields[2], scan.first_seed))
            scan.seed = {{*key, "scan.seeds"}};
        else if (fields[0] == "key" && key != nullptr && in_axis)
            scan.axes.back().keys.push_back({*key, fields[2]});
        else if (fields[0] == "values" && in_axis && fields.size() == scan.axes.back().keys.size() + 1)
            scan.axes.back().values.emplace_back(fields.begin() + 1, fields.end());
        else
            throw Error(ExitCode::file, "The stored scan does not fit this program: " + cli::printable(line) + ".");
    }
    return scan;
}

}  // namespace strata::scan
