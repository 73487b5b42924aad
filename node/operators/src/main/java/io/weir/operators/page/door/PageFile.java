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
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the page. All but the first are in a folder with the name of their content, so that browsers never ask for
 * them again. Immutable.
 *
 * @param path of its URL
 * @param type its media type
 * @param packed the content by gzip
 * @param version of the content of all files
 * @param isFirst whether its URL stays when its content changes
 */
public record PageFile(
    String path, String type, Buffer content, Buffer packed, String version, boolean isFirst) {
  private static final String FOLDER = "/io/weir/operators/page/files/";
  private static final String FIRST = "index.html";
  /** The script is made of all modules and of lit-html when the jar is built. */
  private static final List<String> NAMES = List.of("icon.svg", "page.css", "app.js");

  private static final Map<String, String> TYPES = Map.of(
      "html", "text/html; charset=utf-8",
      "css", "text/css; charset=utf-8",
      "js", "text/javascript; charset=utf-8",
      "svg", "image/svg+xml");
  private static final int VERSION_DIGITS = 16;

  /** All files. */
  public static List<PageFile> all() {
    List<Source> sources =
        NAMES.stream().map(name -> new Source(name, read(name))).toList();
    String text = read(FIRST).toString(StandardCharsets.UTF_8);
    String version = version(text, sources);
    String folder = "/page/" + version + "/";
    Buffer first = Buffer.buffer(text.replace("/page/FILES/", folder));
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

  private static Buffer read(String name) {
    String resource = FOLDER + name;
    try (InputStream file = PageFile.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException(resource + " (expected: on the class path)");
      }
      return Buffer.buffer(file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
