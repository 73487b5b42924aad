package io.weir.operators.page.door;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A file of the page: one of ours, or of a library's WebJar. Immutable.
 *
 * @param path of its URL
 * @param type its media type
 * @param tag of its content
 */
public record PageFile(String path, String type, Buffer content, String tag) {
  private static final String PATH = "/page/";
  private static final String OURS = "/io/weir/operators/page/files/";
  private static final String LIBRARIES = "/META-INF/resources/webjars/";
  private static final List<String> NAMES = List.of(
      "icon.svg",
      "page.css",
      "app.js",
      "api.js",
      "parts.js",
      "live.js",
      "chart.js",
      "overview.js",
      "subject.js",
      "denials.js",
      "keys.js",
      "work.js",
      "policy.js",
      "rehearsal.js",
      "changes.js");
  private static final Map<String, String> OF_LIBRARIES = Map.of(
      "lit-html.js", "lit-html/3.2.1/lit-html.js",
      "uPlot.iife.min.js", "uplot/1.6.30/dist/uPlot.iife.min.js",
      "uPlot.min.css", "uplot/1.6.30/dist/uPlot.min.css");
  private static final Map<String, String> TYPES = Map.of(
      "html", "text/html; charset=utf-8",
      "css", "text/css; charset=utf-8",
      "js", "text/javascript; charset=utf-8",
      "svg", "image/svg+xml");

  /** All files. */
  public static List<PageFile> all() {
    return Stream.of(
            Stream.of(of("/page", OURS + "index.html")),
            NAMES.stream().map(name -> of(PATH + name, OURS + name)),
            OF_LIBRARIES.entrySet().stream()
                .map(file -> of(PATH + "lib/" + file.getKey(), LIBRARIES + file.getValue())))
        .flatMap(files -> files)
        .toList();
  }

  private static PageFile of(String path, String resource) {
    Buffer content = read(resource);
    String type = requireNonNull(TYPES.get(resource.substring(resource.lastIndexOf('.') + 1)));
    return new PageFile(path, type, content, tag(content));
  }

  private static Buffer read(String resource) {
    try (InputStream file = PageFile.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException(resource + " (expected: on the class path)");
      }
      return Buffer.buffer(file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String tag(Buffer content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes());
      return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(digest) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
