package io.weir.core.policy.schema;

/** The place of a value in the document that is read. */
record At(String path, Problems problems) {
  void error(String code, Position place, String message) {
    problems.error(code, place, path, message);
  }

  /** Reports a value that is something else than expected. */
  void invalid(DocumentValue value, String expected) {
    error("value_invalid", value.position(), "%s (expected: %s)".formatted(value.kind(), expected));
  }

  At field(String name) {
    return new At(path.isEmpty() ? name : path + "." + name, problems);
  }

  At item(int index) {
    return new At(path + "[" + index + "]", problems);
  }
}
