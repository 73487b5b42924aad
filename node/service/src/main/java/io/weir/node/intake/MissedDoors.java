package io.weir.node.intake;

import io.weir.node.answer.ProblemDetails;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says where a door is that a request has missed: the path has a slash too many at its end, or belongs to another port.
 * Immutable.
 */
public final class MissedDoors {
  /** The port for callers in words. */
  public static final String CALLERS_PORT = "the port for callers (--port, 8080 by default)";

  /** The port for operators in words. */
  public static final String ADMIN_PORT = "the admin port (--admin-port, 9080 by default)";

  private final Set<String> here;
  private final Set<String> there;
  private final Set<String> areasThere;
  private final String otherPort;

  /**
   * Knows the doors of a port and of the other one.
   *
   * @param doors of the port
   * @param others of the other port
   * @param otherPort in words
   */
  public MissedDoors(List<Door> doors, List<Door> others, String otherPort) {
    this.here = paths(doors);
    this.there = paths(others);
    this.areasThere = new HashSet<>();
    others.forEach(door -> door.area().ifPresent(area -> areasThere.add(area.prefix())));
    this.otherPort = otherPort;
  }

  private static Set<String> paths(List<Door> doors) {
    Set<String> paths = new HashSet<>();
    doors.forEach(door -> door.routes().forEach(route -> paths.add(route.path())));
    return paths;
  }

  /** The refusal of a request to a path that no door of the port has, if another door was probably meant. */
  public Optional<ProblemDetails> refusal(String path) {
    String trimmed = withoutSlashes(path);
    if (trimmed.isEmpty()) {
      return Optional.empty();
    }
    if (here.contains(trimmed)) {
      return Optional.of(Intake.NOT_FOUND.with(
          "detail", "The path is %s, without a slash at its end".formatted(trimmed)));
    }
    return there(trimmed)
        .map(name -> Intake.NOT_FOUND.with("detail", "%s is on %s".formatted(name, otherPort)));
  }

  private Optional<String> there(String path) {
    return there.contains(path)
        ? Optional.of(path)
        : areasThere.stream().filter(path::startsWith).findFirst().map(prefix -> prefix + "…");
  }

  private static String withoutSlashes(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, end);
  }
}
