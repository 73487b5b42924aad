package io.weir.core.policy.schema;

import io.weir.core.policy.schema.Problem.Severity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects the problems found while one document is read. Mutable; owned by that one reading.
 *
 * <p>Bounded: of very many problems it keeps the first ones and the total number.
 */
public final class Problems {
  private static final int MAX_LISTED = 100;

  private final String source;
  private final Set<Problem> listed = new LinkedHashSet<>();
  private int errors;
  private int unlisted;

  /** @param source the name of the document */
  public Problems(String source) {
    this.source = source;
  }

  void error(String code, Position place, String path, String message) {
    errors++;
    add(code, Severity.ERROR, place, path, message);
  }

  void warning(String code, Position place, String path, String message) {
    add(code, Severity.WARNING, place, path, message);
  }

  /** Whether a problem prevents the document from being used. */
  public boolean hasErrors() {
    return errors > 0;
  }

  /** The problems in the order in which they were found. */
  public List<Problem> all() {
    List<Problem> all = new ArrayList<>(listed);
    if (unlisted > 0) {
      Severity severity = errors > 0 ? Severity.ERROR : Severity.WARNING;
      all.add(new Problem(
          "more_problems",
          severity,
          new Location(source, Position.START, ""),
          unlisted + " more that are not listed"));
    }
    return List.copyOf(all);
  }

  private void add(String code, Severity severity, Position place, String path, String message) {
    Problem problem = new Problem(code, severity, new Location(source, place, path), message);
    // A repeated problem is not listed again: a tenant's override is read once for each of its
    // plans.
    if (listed.size() < MAX_LISTED) {
      listed.add(problem);
    } else if (!listed.contains(problem)) {
      unlisted++;
    }
  }
}
