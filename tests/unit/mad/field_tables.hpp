#pragma once

#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Comparison of our layouts with libibmad's field tables, both ways and with random values.
namespace heddle::mad::test {

inline std::mt19937_64 random_source() {
  std::uint64_t seed = std::random_device{}();
  if (const char* const given = std::getenv("HEDDLE_SEED")) seed = std::strtoull(given, nullptr, 0);
  std::cout << "HEDDLE_SEED=" << seed << '\n';
  return std::mt19937_64(seed);
}

template <class Info>
struct Field {
  MAD_FIELDS field;
  unsigned bits;
  std::function<std::uint64_t(const Info&)> get;
  std::function<void(Info&, std::uint64_t)> set;
};

/// A field that is one member of the structure: a number, a bool, an enumeration or an identifier.
template <class Info, class T>
Field<Info> field(MAD_FIELDS number, unsigned bits, T Info::*member) {
  if constexpr (std::is_arithmetic_v<T>) {
    return {number, bits, [member](const Info& info) { return std::uint64_t{info.*member}; },
            [member](Info& info, std::uint64_t v) { info.*member = static_cast<T>(v); }};
  } else if constexpr (std::is_enum_v<T>) {
    return {number, bits,
            [member](const Info& info) { return static_cast<std::uint64_t>(info.*member); },
            [member](Info& info, std::uint64_t v) { info.*member = static_cast<T>(v); }};
  } else {
    return {number, bits,
            [member](const Info& info) { return std::uint64_t{(info.*member).value()}; },
            [member](Info& info, std::uint64_t v) {
              info.*member = T{static_cast<typename T::rep>(v)};
            }};
  }
}

inline void set_theirs(std::span<std::uint8_t> data, MAD_FIELDS field, unsigned bits,
                       std::uint64_t value) {
  if (bits > 32) {
    mad_set_field64(data.data(), 0, field, value);
  } else {
    mad_set_field(data.data(), 0, field, static_cast<std::uint32_t>(value));
  }
}

inline std::uint64_t get_theirs(std::span<std::uint8_t> data, MAD_FIELDS field, unsigned bits) {
  return bits > 32 ? mad_get_field64(data.data(), 0, field) : mad_get_field(data.data(), 0, field);
}

inline std::uint64_t random_value(std::mt19937_64& random, unsigned bits) {
  return random() >> (64 - bits);
}

/// `read` and `write` are the two directions of our codec over a data field of N bytes.
template <std::size_t N, class Info>
void expect_same_layout(const std::vector<Field<Info>>& fields,
                        const std::function<Info(std::span<const std::uint8_t, N>)>& read,
                        const std::function<void(const Info&, std::span<std::uint8_t, N>)>& write) {
  std::mt19937_64 random = random_source();
  for (int round = 0; round < 200; ++round) {
    std::array<std::uint8_t, N> data;
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint64_t> values;
    for (const Field<Info>& f : fields) {
      values.push_back(random_value(random, f.bits));
      set_theirs(data, f.field, f.bits, values.back());
    }
    const Info ours = read(data);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ASSERT_EQ(fields[i].get(ours), values[i]) << "reading " << mad_field_name(fields[i].field);
    }

    Info info;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      values[i] = random_value(random, fields[i].bits);
      fields[i].set(info, values[i]);
    }
    data.fill(0);
    write(info, data);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ASSERT_EQ(get_theirs(data, fields[i].field, fields[i].bits), values[i])
          << "writing " << mad_field_name(fields[i].field);
    }
    ASSERT_EQ(read(data), info);
  }
}

}  // namespace heddle::mad::test
