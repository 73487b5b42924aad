package io.weir.core.policy.schema;

import java.util.List;
import java.util.Map;

/**
 * A parsed but not yet interpreted document: the common part of YAML and JSON, with places. A parser outside of
 * this module builds it; it has already refused duplicate keys.
 */
public sealed interface DocumentValue {

  /** The place where the value begins. */
  Position position();

  /** The line on which the value begins, from 1. */
  default int line() {
    return position().line();
  }

  /** The name of this kind of value in messages. */
  String kind();

  /** Named values in the order of the document. */
  record Mapping(Position position, Map<String, DocumentValue> entries) implements DocumentValue {
    /** Whether there is a value with this name. */
    boolean has(String name) {
      return !(entries.getOrDefault(name, new Nothing(position)) instanceof Nothing);
    }

    @Override
    public String kind() {
      return "a mapping";
    }
  }

  /** A list of values. */
  record Sequence(Position position, List<DocumentValue> items) implements DocumentValue {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Text, quoted or plain. */
  record Text(Position position, String value) implements DocumentValue {
    @Override
    public String kind() {
      return "the text '" + shortened(value) + "'";
    }
  }

  /** A number as it was written; it may have a fraction, an exponent or any number of digits. */
  record Numeral(Position position, String digits) implements DocumentValue {
    @Override
    public String kind() {
      return shortened(digits);
    }
  }

  /** True or false. */
  record Flag(Position position, boolean value) implements DocumentValue {
    @Override
    public String kind() {
      return Boolean.toString(value);
    }
  }

  /** An empty value. */
  record Nothing(Position position) implements DocumentValue {
    @Override
    public String kind() {
      return "nothing";
    }
  }

  private static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
