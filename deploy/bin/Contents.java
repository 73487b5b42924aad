import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Prints the contents of an archive in CycloneDX: {@code Contents SBOM ARCHIVE}. SBOM lists the jars; the Java runtime,
 * linked by the JDK that runs this, and the Redis within a jar are no artifacts of Maven, and are added.
 */
final class Contents {
  private static final String BEGIN = "\n  \"components\" : [\n";
  private static final Pattern NO_LICENCE = // in its POM; the jar carries it
      Pattern.compile("( *)\"purl\" : \"pkg:maven/org.apache.datasketches/datasketches-memory@");
  private static final Pattern REDIS = Pattern.compile("redis-server-(.*)-linux-"
      + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64"));

  private Contents() {}

  public static void main(String[] arguments) throws IOException, NoSuchAlgorithmException {
    String jars = NO_LICENCE
        .matcher(Files.readString(Path.of(arguments[0])))
        .replaceFirst("$1\"licenses\" : [ { \"license\" : { \"id\" : \"Apache-2.0\" } } ],\n$0");
    Path archive = Path.of(arguments[1]);
    int begin = jars.indexOf(BEGIN) + BEGIN.length();
    if (begin < BEGIN.length()) {
      throw new IllegalStateException(arguments[0] + " has no components");
    }
    System.out.print(jars.substring(0, begin) + runtime(archive) + redis(archive) + jars.substring(begin));
  }

  private static String runtime(Path archive) throws IOException, NoSuchAlgorithmException {
    try (InputStream modules = Files.newInputStream(archive.resolve("runtime/lib/modules"))) {
      return component(
          "OpenJDK",
          System.getProperty("java.runtime.version"),
          System.getProperty("java.vendor"),
          "GPL-2.0-with-classpath-exception",
          modules);
    }
  }

  private static String redis(Path archive) throws IOException, NoSuchAlgorithmException {
    Path jar;
    try (Stream<Path> files = Files.list(archive.resolve("lib"))) {
      jar = files
          .filter(file -> file.getFileName().toString().startsWith("embedded-redis-"))
          .findFirst()
          .orElseThrow();
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      JarEntry server = file.stream()
          .filter(entry -> REDIS.matcher(entry.getName()).matches())
          .findFirst()
          .orElseThrow();
      MatchResult name = REDIS.matcher(server.getName()).results().findFirst().orElseThrow();
      try (InputStream program = file.getInputStream(server)) {
        return component("Redis", name.group(1), "Redis Ltd.", "BSD-3-Clause", program);
      }
    }
  }

  private static String component(
      String name, String version, String vendor, String licence, InputStream file)
      throws IOException, NoSuchAlgorithmException {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(file.readAllBytes());
    String purl = "pkg:generic/%s@%s".formatted(name.toLowerCase(), version.replace("+", "%2B"));
    return """
            {
              "type" : "application",
              "bom-ref" : "%s",
              "publisher" : "%s",
              "name" : "%s",
              "version" : "%s",
              "hashes" : [ { "alg" : "SHA-256", "content" : "%s" } ],
              "licenses" : [ { "license" : { "id" : "%s" } } ],
              "purl" : "%s"
            },
        """
        .formatted(purl, vendor, name, version, HexFormat.of().formatHex(hash), licence, purl);
  }
}
