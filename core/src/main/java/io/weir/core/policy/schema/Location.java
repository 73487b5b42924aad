package io.weir.core.policy.schema;

/**
 * A place in a policy document.
 *
 * @param source the document's name, mostly a file name
 * @param line from 1
 * @param path from the document's root, such as {@code buckets[0].throttleGroups[2].opsPerSec}
 */
public record Location(String source, int line, String path) {

  @Override
  public String toString() {
    return path.isEmpty() ? source + ":" + line : source + ":" + line + ": " + path;
  }
}
