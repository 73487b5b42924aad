package io.weir.core.policy.schema;

/**
 * A place in a policy document.
 *
 * @param source the document's name, mostly a file name
 * @param path from the document's root, such as {@code buckets[0].throttleGroups[2].opsPerSec}
 */
public record Location(String source, Position position, String path) {

  @Override
  public String toString() {
    String at = "%s:%d:%d".formatted(source, position.line(), position.column());
    return path.isEmpty() ? at : at + ": " + path;
  }
}
