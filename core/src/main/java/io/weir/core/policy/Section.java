package io.weir.core.policy;

import io.weir.core.policy.DocumentValue.Flag;
import io.weir.core.policy.DocumentValue.Mapping;
import io.weir.core.policy.DocumentValue.Nothing;
import io.weir.core.policy.DocumentValue.Numeral;
import io.weir.core.policy.DocumentValue.Sequence;
import io.weir.core.policy.DocumentValue.Text;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One mapping of a document while it is read, with its place. Mutable: it records the fields that were read, so that
 * {@link #refuseUnknown()} can report the others. A wrong field is reported and reads as absent, so that one reading
 * finds all problems.
 */
final class Section {
  // The longest number that is parsed; a longer one is out of every range.
  private static final int MAX_DIGITS = 40;

  private final Mapping mapping;
  private final String path;
  private final Problems problems;
  private final Set<String> known = new HashSet<>();

  Section(Mapping mapping, String path, Problems problems) {
    this.mapping = mapping;
    this.path = path;
    this.problems = problems;
  }

  static Section root(DocumentValue document, Problems problems) {
    if (document instanceof Mapping mapping) {
      return new Section(mapping, "", problems);
    }
    problems.error(
        "value_invalid",
        document.line(),
        "",
        "%s (expected: a mapping)".formatted(document.kind()));
    return new Section(new Mapping(document.line(), Map.of()), "", problems);
  }

  int line() {
    return mapping.line();
  }

  String path() {
    return path;
  }

  int lineOf(String field) {
    return mapping.entries().getOrDefault(field, mapping).line();
  }

  boolean has(String field) {
    known.add(field);
    return mapping.entries().containsKey(field);
  }

  /** Whether the field is absent or has no value. */
  boolean isAbsent(String field) {
    return present(field).isEmpty();
  }

  boolean isMapping(String field) {
    return mapping.entries().get(field) instanceof Mapping;
  }

  void error(String code, String field, String message) {
    problems.error(code, lineOf(field), pathOf(field), message);
  }

  void error(String code, String message) {
    problems.error(code, mapping.line(), path, message);
  }

  void warning(String code, String field, String message) {
    problems.warning(code, lineOf(field), pathOf(field), message);
  }

  void warning(String code, String message) {
    problems.warning(code, mapping.line(), path, message);
  }

  void errorAt(String code, Item item, String message) {
    problems.error(code, item.line(), item.path(), message);
  }

  void warningAt(String code, Item item, String message) {
    problems.warning(code, item.line(), item.path(), message);
  }

  Optional<String> text(String field, Predicate<String> accepts, String expected) {
    Optional<DocumentValue> value = present(field);
    Optional<String> text = value.flatMap(Section::asText).filter(accepts);
    if (value.isPresent() && text.isEmpty()) {
      invalid(field, value.get(), expected);
    }
    return text;
  }

  Optional<String> requiredText(String field, Predicate<String> accepts, String expected) {
    return missing(field, expected) ? Optional.empty() : text(field, accepts, expected);
  }

  /** Reads a text that must not appear in messages. */
  Optional<String> secretText(String field, Predicate<String> accepts, String expected) {
    Optional<DocumentValue> value = present(field);
    Optional<String> text = value.flatMap(Section::asText).filter(accepts);
    if (value.isPresent() && text.isEmpty()) {
      error("value_invalid", field, "something else (expected: %s)".formatted(expected));
    }
    return text;
  }

  Optional<String> requiredSecretText(String field, Predicate<String> accepts, String expected) {
    return missing(field, expected) ? Optional.empty() : secretText(field, accepts, expected);
  }

  <T> Optional<T> choice(String field, Map<String, T> choices) {
    if (choices.containsKey("off") && isOff(field)) {
      return Optional.ofNullable(choices.get("off"));
    }
    return text(field, choices::containsKey, "one of " + String.join(", ", choices.keySet()))
        .map(choices::get);
  }

  OptionalLong wholeNumber(String field, long min, long max) {
    return wholeNumber(field, min, max, "");
  }

  /** The same with a hint after the expectation. */
  OptionalLong wholeNumber(String field, long min, long max, String hint) {
    Optional<DocumentValue> value = present(field);
    if (value.isEmpty()) {
      return OptionalLong.empty();
    }
    Optional<Long> number = asWhole(value.get()).filter(n -> n >= min && n <= max);
    if (number.isEmpty()) {
      invalid(field, value.get(), "a whole number from %d to %d%s".formatted(min, max, hint));
    }
    return number.stream().mapToLong(Long::longValue).findFirst();
  }

  /** Whether the field is off: a text, or in YAML 1.1 a no. */
  boolean isOff(String field) {
    DocumentValue value = present(field).orElse(null);
    return (value instanceof Text text && text.value().equals("off"))
        || (value instanceof Flag flag && !flag.value());
  }

  /** A text such as 250ms, 10s or 5m. */
  Optional<Duration> duration(String field, Duration min, Duration max) {
    String expected = "a duration such as 250ms, 10s or 5m, from %s to %s"
        .formatted(DurationText.of(min), DurationText.of(max));
    return text(
            field,
            text -> DurationText.parse(text)
                .filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0)
                .isPresent(),
            expected)
        .flatMap(DurationText::parse);
  }

  boolean flag(String field) {
    Optional<DocumentValue> value = present(field);
    if (value.isEmpty()) {
      return false;
    }
    if (value.get() instanceof Flag flag) {
      return flag.value();
    }
    invalid(field, value.get(), "true or false");
    return false;
  }

  Optional<Section> section(String field) {
    return present(field).flatMap(value -> asSection(value, pathOf(field)));
  }

  /** The mappings of a list; other items are skipped with a problem. */
  List<Section> sections(String field) {
    List<Section> sections = new ArrayList<>();
    List<DocumentValue> items = items(field);
    for (int i = 0; i < items.size(); i++) {
      asSection(items.get(i), "%s[%d]".formatted(pathOf(field), i)).ifPresent(sections::add);
    }
    return sections;
  }

  /** The mappings of a mapping, by name; a name that {@code accepts} refuses is a problem. */
  Map<String, Section> namedSections(String field, Predicate<String> accepts, String expected) {
    Map<String, Section> sections = new LinkedHashMap<>();
    Optional<Section> parent = section(field);
    if (parent.isEmpty()) {
      return sections;
    }
    parent.get().mapping.entries().forEach((name, value) -> {
      String at = pathOf(field) + "." + name;
      if (!accepts.test(name)) {
        // Not repeated: the name may be a whole key in the place of its id.
        problems.error(
            "name_invalid",
            value.line(),
            pathOf(field),
            "a name of another form (expected: %s)".formatted(expected));
      } else if (value instanceof Nothing) {
        sections.put(name, new Section(new Mapping(value.line(), Map.of()), at, problems));
      } else {
        asSection(value, at).ifPresent(section -> sections.put(name, section));
      }
    });
    return sections;
  }

  /** A list of texts. Duplicates are kept. */
  List<Item> texts(String field, Predicate<String> accepts, String expected) {
    List<Item> texts = new ArrayList<>();
    List<DocumentValue> items = items(field);
    for (int i = 0; i < items.size(); i++) {
      DocumentValue value = items.get(i);
      String at = "%s[%d]".formatted(pathOf(field), i);
      Optional<String> text = asText(value).filter(accepts);
      if (text.isPresent()) {
        texts.add(new Item(text.get(), value.line(), at));
      } else {
        problems.error("value_invalid", value.line(), at, expectation(value, expected));
      }
    }
    return texts;
  }

  /** Reports every field that was not read. */
  void refuseUnknown() {
    if (known.containsAll(mapping.entries().keySet())) {
      return;
    }
    String message =
        known.stream().sorted().collect(Collectors.joining(", ", "no such field (expected: ", ")"));
    mapping.entries().forEach((field, value) -> {
      if (!known.contains(field)) {
        problems.error("field_unknown", value.line(), pathOf(field), message);
      }
    });
  }

  private List<DocumentValue> items(String field) {
    Optional<DocumentValue> value = present(field);
    if (value.isEmpty()) {
      return List.of();
    }
    if (value.get() instanceof Sequence sequence) {
      return sequence.items();
    }
    invalid(field, value.get(), "a list");
    return List.of();
  }

  private boolean missing(String field, String expected) {
    if (present(field).isPresent()) {
      return false;
    }
    error("field_missing", field, "nothing (expected: %s)".formatted(expected));
    return true;
  }

  private Optional<DocumentValue> present(String field) {
    known.add(field);
    return Optional.ofNullable(mapping.entries().get(field))
        .filter(value -> !(value instanceof Nothing));
  }

  private Optional<Section> asSection(DocumentValue value, String at) {
    if (value instanceof Mapping child) {
      return Optional.of(new Section(child, at, problems));
    }
    problems.error("value_invalid", value.line(), at, expectation(value, "a mapping"));
    return Optional.empty();
  }

  private void invalid(String field, DocumentValue value, String expected) {
    problems.error("value_invalid", value.line(), pathOf(field), expectation(value, expected));
  }

  private String pathOf(String field) {
    return Stream.of(path, field).filter(part -> !part.isEmpty()).collect(Collectors.joining("."));
  }

  private static String expectation(DocumentValue value, String expected) {
    return "%s (expected: %s)".formatted(value.kind(), expected);
  }

  // A plain scalar such as 404 or true is a valid name; YAML alone would make a number of it.
  private static Optional<String> asText(DocumentValue value) {
    if (value instanceof Text text) {
      return Optional.of(text.value());
    }
    return value instanceof Numeral number ? Optional.of(number.digits()) : Optional.empty();
  }

  private static Optional<Long> asWhole(DocumentValue document) {
    if (!(document instanceof Numeral number) || number.digits().length() > MAX_DIGITS) {
      return Optional.empty();
    }
    try {
      BigDecimal value = new BigDecimal(number.digits());
      // Before it is expanded: 1e999999999 would fill the memory.
      boolean small = value.precision() - (long) value.scale() <= 19;
      return small ? Optional.of(value.longValueExact()) : Optional.empty();
    } catch (ArithmeticException | NumberFormatException e) {
      return Optional.empty(); // a fraction, or a notation of YAML's own such as .inf
    }
  }

  /** A text of a list, with its place in the document. */
  record Item(String text, int line, String path) {}
}
