package io.weir.core.policy.schema;

import java.util.List;
import java.util.Map;

/**
 * A parsed but not yet interpreted document: the common part of YAML and JSON, with line numbers. A parser outside of
 * this module builds it; it has already refused duplicate keys.
 */
public sealed interface DocumentValue {

  /** The line on which the value begins, from 1. */
  int line();

  /** The name of this kind of value in messages. */
  String kind();

  /** Named values in the order of the document. */
  record Mapping(int line, Map<String, DocumentValue> entries) implements DocumentValue {
    /** Whether there is a value with this name. */
    boolean has(String name) {
      return !(entries.getOrDefault(name, new Nothing(line)) instanceof Nothing);
    }

    @Override
    public String kind() {
      return "a mapping";
    }
  }

  /** A list of values. */
  record Sequence(int line, List<DocumentValue> items) implements DocumentValue {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Text, quoted or plain. */
  record Text(int line, String value) implements DocumentValue {
    @Override
    public String kind() {
      return "the text '" + shortened(value) + "'";
    }
  }

  /** A number as it was written; it may have a fraction, an exponent or any number of digits. */
  record Numeral(int line, String digits) implements DocumentValue {
    @Override
    public String kind() {
      return shortened(digits);
    }
  }

  /** True or false. */
  record Flag(int line, boolean value) implements DocumentValue {
    @Override
    public String kind() {
      return Boolean.toString(value);
    }
  }

  /** An empty value. */
  record Nothing(int line) implements DocumentValue {
    @Override
    public String kind() {
      return "nothing";
    }
  }

  private static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
