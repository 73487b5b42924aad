package io.weir.operators.page.door;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the page: one of ours, without its comments, or of a library's WebJar. All but the first are in a folder with the name of their
 * content, so that browsers never ask for them again. Immutable.
 *
 * @param path of its URL
 * @param type its media type
 * @param packed the content by gzip
 * @param version of the content of all files
 * @param isFirst whether its URL stays when its content changes
 */
public record PageFile(
    String path, String type, Buffer content, Buffer packed, String version, boolean isFirst) {
  private static final String OURS = "/io/weir/operators/page/files/";
  private static final String LIBRARIES = "/META-INF/resources/webjars/";
  private static final String FIRST = "index.html";
  private static final List<String> NAMES = List.of(
      "icon.svg",
      "page.css",
      "app.js",
      "actions.js",
      "api.js",
      "changes.js",
      "chart.js",
      "compare.js",
      "denials.js",
      "draft.js",
      "find.js",
      "key.js",
      "keys.js",
      "limits.js",
      "live.js",
      "now.js",
      "parts.js",
      "tenant.js",
      "work.js");
  private static final Map<String, String> OF_LIBRARIES =
      Map.of("lib/lit-html.js", "lit-html/3.2.1/lit-html.js");
  private static final Map<String, String> TYPES = Map.of(
      "html", "text/html; charset=utf-8",
      "css", "text/css; charset=utf-8",
      "js", "text/javascript; charset=utf-8",
      "svg", "image/svg+xml");
  private static final Pattern COMMENT =
      Pattern.compile("(?m)^ *(?://.*|/\\*(?s:(?!\\*/).)*\\*/ *)\\n");
  /** Behind code; a text of the page with two strokes between spaces would have a quote after them. */
  private static final Pattern COMMENT_BEHIND = Pattern.compile("(?m) +// [^'\"`\\n]*$");

  private static final Pattern INDENTATION = Pattern.compile("(?m)^\\s+"); // and empty lines
  /** The ends of lines within brackets. */
  private static final Pattern LINE_WITHIN = Pattern.compile("(?<=[{(\\[;])\n|\n(?=[})\\]])");
  /** The space around what separates parts of a style sheet; that of a selector before a colon has a meaning. */
  private static final Pattern STYLE_SPACE = Pattern.compile("\\s*([{};,:])\\s+");

  private static final int VERSION_DIGITS = 16;

  /** All files. */
  public static List<PageFile> all() {
    List<Source> sources = Stream.concat(
            NAMES.stream().map(name -> new Source(name, shortened(name, read(OURS + name)))),
            OF_LIBRARIES.entrySet().stream()
                .map(file -> new Source(file.getKey(), read(LIBRARIES + file.getValue()))))
        .toList();
    String text = read(OURS + FIRST).toString(StandardCharsets.UTF_8);
    String version = version(text, sources);
    String folder = "/page/" + version + "/";
    String preloads = sources.stream()
        .filter(source -> source.name().endsWith(".js"))
        .map(source ->
            "  <link rel=\"modulepreload\" href=\"%s%s\">\n".formatted(folder, source.name()))
        .collect(Collectors.joining());
    Buffer first = Buffer.buffer(
        text.replace("/page/FILES/", folder).replace("</head>", preloads + "</head>"));
    return Stream.concat(
            Stream.of(of("/page", FIRST, first, version, true)),
            sources.stream()
                .map(source ->
                    of(folder + source.name(), source.name(), source.content(), version, false)))
        .toList();
  }

  private record Source(String name, Buffer content) {}

  private static PageFile of(
      String path, String name, Buffer content, String version, boolean isFirst) {
    String type = requireNonNull(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
    return new PageFile(path, type, content, packed(content), version, isFirst);
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

  // A tenth of what is sent would be comments and white space.
  private static Buffer shortened(String name, Buffer content) {
    if (!name.endsWith(".js") && !name.endsWith(".css")) {
      return content;
    }
    String code = COMMENT.matcher(content.toString(StandardCharsets.UTF_8)).replaceAll("");
    String flat = INDENTATION.matcher(code).replaceAll("");
    return Buffer.buffer(
        name.endsWith(".css")
            ? STYLE_SPACE.matcher(flat).replaceAll("$1").replace(";}", "}")
            : LINE_WITHIN.matcher(COMMENT_BEHIND.matcher(flat).replaceAll("")).replaceAll(""));
  }

  private static Buffer packed(Buffer content) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new SmallGzip(packed)) {
      out.write(content.getBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffer.buffer(packed.toByteArray());
  }

  /** Takes longer for fewer bytes, once for each start of a node. */
  private static final class SmallGzip extends GZIPOutputStream {
    SmallGzip(OutputStream to) throws IOException {
      super(to);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }

  private static String version(String first, List<Source> sources) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(first.getBytes(StandardCharsets.UTF_8));
      sources.forEach(source -> digest.update(source.content().getBytes()));
      return HexFormat.of().formatHex(digest.digest()).substring(0, VERSION_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
