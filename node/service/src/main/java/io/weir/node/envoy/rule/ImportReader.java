package io.weir.node.envoy.rule;

import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Flag;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import io.weir.core.policy.schema.DocumentValue.Numeral;
import io.weir.core.policy.schema.DocumentValue.Sequence;
import io.weir.core.policy.schema.DocumentValue.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the fields of a file that is imported, and collects what is wrong or left out. Mutable; for one import. */
final class ImportReader {
  private final List<String> errors = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private String file = "";

  /** Begins a file. */
  void begin(String name) {
    file = name;
  }

  String file() {
    return file;
  }

  List<String> errors() {
    return List.copyOf(errors);
  }

  List<String> notes() {
    return List.copyOf(notes);
  }

  void refuseUnknown(Mapping mapping, Set<String> known) {
    mapping.entries().forEach((name, value) -> {
      if (!known.contains(name)) {
        error(value, "no such field: '%s'".formatted(name));
      }
    });
  }

  /** A list of mappings; empty if it is absent. */
  List<Mapping> mappings(Mapping in, String field) {
    DocumentValue value = in.entries().get(field);
    List<Mapping> all = new ArrayList<>();
    if (value instanceof Sequence list) {
      for (DocumentValue item : list.items()) {
        if (item instanceof Mapping mapping) {
          all.add(mapping);
        } else {
          error(item, "%s in %s (expected: a mapping)".formatted(item.kind(), field));
        }
      }
    } else if (value != null && !(value instanceof Nothing)) {
      error(value, "%s: %s (expected: a list)".formatted(field, value.kind()));
    }
    return all;
  }

  /** A text; a number or a flag as it is written. */
  Optional<String> text(Mapping in, String field) {
    DocumentValue value = in.entries().get(field);
    if (value instanceof Text text) {
      return Optional.of(text.value());
    } else if (value instanceof Numeral number) {
      return Optional.of(number.digits());
    } else if (value instanceof Flag flag) {
      return Optional.of(Boolean.toString(flag.value()));
    } else if (value != null && !(value instanceof Nothing)) {
      error(value, "%s: %s (expected: a text)".formatted(field, value.kind()));
    }
    return Optional.empty();
  }

  boolean flag(Mapping in, String field) {
    DocumentValue value = in.entries().get(field);
    if (value != null && !(value instanceof Flag) && !(value instanceof Nothing)) {
      error(value, "%s: %s (expected: true or false)".formatted(field, value.kind()));
    }
    return value instanceof Flag flag && flag.value();
  }

  Optional<Long> number(Mapping in, String field) {
    DocumentValue value = in.entries().get(field);
    if (value == null || value instanceof Nothing) {
      return Optional.empty();
    }
    boolean isNumber = value instanceof Numeral number
        && number.digits().matches("\\d{1,10}")
        && Long.parseLong(number.digits()) <= UnitLimit.MOST;
    if (!isNumber) {
      error(value, "%s: %s (expected: 0 to %d)".formatted(field, value.kind(), UnitLimit.MOST));
      return Optional.empty();
    }
    return Optional.of(Long.parseLong(((Numeral) value).digits()));
  }

  void error(DocumentValue at, String message) {
    String text = "%s:%d: %s".formatted(file, at.line(), message);
    if (!errors.contains(text)) {
      errors.add(text);
    }
  }

  void note(DocumentValue at, String message) {
    note(file, at.line(), message);
  }

  void note(String inFile, int line, String message) {
    notes.add("%s:%d: %s".formatted(inFile, line, message));
  }
}
