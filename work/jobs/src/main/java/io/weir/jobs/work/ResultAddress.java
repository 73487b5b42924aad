package io.weir.jobs.work;

import io.weir.core.policy.Upstream;
import java.net.URI;
import java.util.Optional;

/**
 * The place of the result of a job: a path, and with several servers the one that gave the receipt. A job keeps it as a
 * text without spaces: the path, or {@code provider/key/group:path}.
 *
 * @param server the place of the server, as of {@link io.weir.node.upstream.SendSlot#place}; empty if there is one only
 * @param group of the job's operation; empty if there are none
 * @param path with its query
 */
record ResultAddress(String server, String group, String path) {
  private static final int MAX_PATH = 1024;

  /** From its text. */
  static ResultAddress parse(String text) {
    if (text.startsWith("/")) {
      return new ResultAddress("", "", text);
    }
    int colon = text.indexOf(':');
    int slash = text.lastIndexOf('/', colon);
    return new ResultAddress(
        text.substring(0, slash), text.substring(slash + 1, colon), text.substring(colon + 1));
  }

  /** Its text. */
  String text() {
    return server.isEmpty() ? path : server + "/" + group + ":" + path;
  }

  /**
   * The path that a receipt names; empty if it is not at the server that gave it.
   *
   * @param target of the request that the receipt answers
   */
  static Optional<String> path(Upstream server, String target, String location) {
    try {
      boolean isWhole = location.startsWith("/") && !location.startsWith("//");
      URI base = isWhole ? server.uri() : server.uri().resolve(pathOf(target));
      URI place = base.resolve(location);
      boolean isThere = server.uri().getScheme().equals(place.getScheme())
          && server.uri().getHost().equalsIgnoreCase(place.getHost())
          && portOf(server.uri()) == portOf(place);
      String path =
          place.getRawPath() + (place.getRawQuery() == null ? "" : "?" + place.getRawQuery());
      return Optional.of(path)
          .filter(text -> isThere && text.startsWith("/") && text.length() <= MAX_PATH);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static int portOf(URI uri) {
    int usual = "https".equals(uri.getScheme()) ? 443 : 80;
    return uri.getPort() >= 0 ? uri.getPort() : usual;
  }

  private static String pathOf(String target) {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }
}
