package io.weir.operators.page.door;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toUnmodifiableMap;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code /page}: the files of the page, for all; they tell nothing of the cluster. A browser runs only scripts of this
 * node, shows the page in no frame, and connects to nothing else (Content Security Policy Level 3). It keeps all files
 * but the first for good, because their paths name their content.
 */
public final class FilesDoor implements Door {
  private static final String POLICY = String.join(
      "; ",
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "trusted-types lit-html",
      "require-trusted-types-for 'script'");
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "not_found", "The page has no such file");

  private static final String FOR_GOOD = "public, max-age=31536000, immutable";
  private static final String FILE = "file";
  private static final String PAGE = "/page";
  private static final String ROOT = "/";

  private final Map<String, PageFile> files;
  private final boolean hasOwnPort;

  /** @param hasOwnPort whether no other paths than those of operators are on this port */
  public FilesDoor(List<PageFile> files, boolean hasOwnPort) {
    this.files = files.stream().collect(toUnmodifiableMap(PageFile::path, identity()));
    this.hasOwnPort = hasOwnPort;
  }

  @Override
  public List<Route> routes() {
    Stream<Route> all = Stream.of(PAGE, PAGE + "/{version}/{file}")
        .map(path -> Route.get(path, this::send).withHead());
    Stream<Route> root =
        hasOwnPort ? Stream.of(Route.get(ROOT, FilesDoor::toPage)) : Stream.empty();
    return Stream.concat(all, root).toList();
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PAGE + "/", Map.of(FILE, "[A-Za-z0-9.-]{1,64}"), UNKNOWN));
  }

  private static Future<Void> toPage(RoutedRequest request) {
    return request
        .response()
        .setStatusCode(302)
        .putHeader(HttpHeaders.LOCATION, PAGE)
        .end();
  }

  private Future<Void> send(RoutedRequest request) {
    PageFile file = files.get(request.http().path());
    if (file == null) {
      throw new RefusedException(UNKNOWN);
    }
    MultiMap headers = request.response().headers();
    headers
        .set("Content-Security-Policy", POLICY)
        .set("X-Content-Type-Options", "nosniff")
        .set("X-Frame-Options", "DENY")
        .set("Referrer-Policy", "no-referrer")
        .set("Cross-Origin-Opener-Policy", "same-origin")
        .set("Cross-Origin-Resource-Policy", "same-origin")
        .set(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING)
        .set(HttpHeaders.CACHE_CONTROL, file.isFirst() ? "no-cache" : FOR_GOOD);
    if (file.isFirst()) {
      String tag = '"' + file.version() + '"';
      headers.set(HttpHeaders.ETAG, tag);
      if (tag.equals(request.http().getHeader(HttpHeaders.IF_NONE_MATCH))) {
        return request.response().setStatusCode(304).end();
      }
    }
    headers.set(HttpHeaders.CONTENT_TYPE, file.type());
    boolean isPacked = unpacks(request.http().getHeader(HttpHeaders.ACCEPT_ENCODING));
    if (isPacked) {
      headers.set(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    return request.response().end(isPacked ? file.packed() : file.content());
  }

  // A browser that refuses gzip (q=0) is none.
  private static boolean unpacks(@Nullable String encodings) {
    return encodings != null && encodings.contains("gzip");
  }
}
