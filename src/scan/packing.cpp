// SPDX-License-Identifier: BSD-3-Clause
// Serialisation of the outcome of a point. One list of members (pass) serves both directions, so that packing and
// unpacking cannot differ.
#include <cstring>

#include "scan/distribution.hpp"
#include "strata/error.hpp"

namespace strata::scan {
namespace {

/// Appends values to an array of bytes: numbers by their memory, lists by length and elements.
class Packer {
  public:
    void number(auto& value) { raw(&value, sizeof value); }
    void text(std::string& value) { list(value); }
    void numbers(std::vector<double>& values) { list(values); }
    template <class T>
    void items(std::vector<T>& values, auto each) {
        std::uint64_t count = values.size();
        number(count);
        for (T& value : values) each(value);
    }
    std::vector<std::byte> bytes;

  private:
    void raw(const void* data, std::size_t size) {
        const auto* from = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), from, from + size);
    }
    void list(auto& values) {
        std::uint64_t count = values.size();
        number(count);
        raw(values.data(), values.size() * sizeof(values[0]));
    }
};

/// Reads values in the order in which Packer has written them; throws if the bytes end too early.
class Unpacker {
  public:
    explicit Unpacker(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
    void number(auto& value) { raw(&value, sizeof value); }
    void text(std::string& value) { list(value); }
    void numbers(std::vector<double>& values) { list(values); }
    template <class T>
    void items(std::vector<T>& values, auto each) {
        std::uint64_t count = 0;
        number(count);
        if (count > bytes_.size()) fail();
        values.resize(count);
        for (T& value : values) each(value);
    }
    void expect_end() const {
        if (at_ != bytes_.size()) fail();
    }

  private:
    [[noreturn]] static void fail() { throw Error(ExitCode::internal, "A record of a scan came incomplete."); }
    void raw(void* data, std::size_t size) {
        if (size > bytes_.size() - at_) fail();
        if (size != 0) std::memcpy(data, bytes_.data() + at_, size);  // memcpy forbids null pointers
        at_ += size;
    }
    void list(auto& values) {
        std::uint64_t count = 0;
        number(count);
        if (count > (bytes_.size() - at_) / sizeof(values[0])) fail();
        values.resize(count);
        raw(values.data(), count * sizeof(values[0]));
    }
    const std::vector<std::byte>& bytes_;
    std::size_t at_ = 0;
};

void pass_quantity(auto& to, Quantity& q) {
    for (std::string* text : {&q.name, &q.unit, &q.meaning}) to.text(*text);
    for (std::vector<double>* list : {&q.value, &q.error, &q.tau, &q.reference}) to.numbers(*list);
    to.items(q.axes, [&](std::string& axis) { to.text(axis); });
    to.number(q.row_length);
    to.number(q.role);
}

void pass_phase(auto& to, PhaseTime& phase) {
    to.text(phase.name);
    to.number(phase.seconds);
    to.number(phase.seconds_most);
    to.number(phase.calls);
}

void pass_figure(auto& to, Figure& figure) {
    for (std::string* text : {&figure.name, &figure.unit, &figure.meaning}) to.text(*text);
    to.number(figure.value);
}

void pass_series(auto& to, Series& series) {
    std::vector<Column> columns = series.columns();
    std::vector<double> values(series.values().begin(), series.values().end());
    to.items(columns, [&](Column& column) {
        for (std::string* text :
             {&column.name, &column.unit, &column.meaning, &column.array, &column.axis, &column.label})
            to.text(*text);
        to.number(column.role);
    });
    to.numbers(values);
    series = Series(std::move(columns));
    series.assign(std::move(values));
}

void pass(auto& to, PointOutcome& finished) {
    PointRecord& r = finished.record;
    to.number(finished.point);
    to.number(r.state);
    to.number(r.exit_code);
    for (std::string* text : {&r.sentence, &r.remark, &r.backend, &r.state_hash}) to.text(*text);
    to.number(r.steps);
    to.number(r.total_steps);
    to.number(r.seconds);
    to.items(r.quantities, [&](Quantity& q) { pass_quantity(to, q); });
    to.items(r.timers, [&](PhaseTime& phase) { pass_phase(to, phase); });
    to.items(r.performance, [&](Figure& figure) { pass_figure(to, figure); });
    pass_series(to, r.series);
    to.number(r.rows_left_out);
}

}  // namespace

std::vector<std::byte> pack(std::vector<PointOutcome>& finished) {
    Packer packer;
    packer.items(finished, [&](PointOutcome& outcome) { pass(packer, outcome); });
    return std::move(packer.bytes);
}

std::vector<PointOutcome> unpack(const std::vector<std::byte>& bytes) {
    Unpacker unpacker(bytes);
    std::vector<PointOutcome> finished;
    unpacker.items(finished, [&](PointOutcome& outcome) { pass(unpacker, outcome); });
    unpacker.expect_end();
    return finished;
}

}  // namespace strata::scan
