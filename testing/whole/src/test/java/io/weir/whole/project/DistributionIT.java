package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cluster.local.ClusterFile;
import io.weir.embedded.EmbeddedRedis;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import io.weir.testkit.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive runs where no Java is, and has the same bytes whenever it is made. */
@Tag("containers")
final class DistributionIT {
  private static final Duration COMMAND_WITHIN = Duration.ofMinutes(2);
  private static final Duration UP_WITHIN = Duration.ofMinutes(4);

  @TempDir
  private static Path folder;

  private static Path home;

  @BeforeAll
  static void unpack() throws IOException {
    Path archive = Distribution.in(folder.resolve("made"), "--check");
    Path elsewhere = Files.createDirectories(folder.resolve("some where"));
    run("tar", "-xzf", archive.toString(), "-C", elsewhere.toString());
    try (Stream<Path> top = Files.list(elsewhere)) {
      List<Path> folders = top.toList();
      assertThat(folders).hasSize(1);
      home = folders.get(0);
    }
    assertThat(archive.getFileName()).hasToString(home.getFileName() + ".tar.gz");
  }

  @Test
  void commandsNeedNoJavaOfTheMachine() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("weir"), home.resolve("bin/weir"));
    assertThat(withoutJava(link.toString(), "--version")).startsWith("weir ").contains(", Java ");
    assertThat(withoutJava(link.toString(), "policy", "check", home + "/examples/mainnet.yaml"))
        .contains("mainnet.yaml");
  }

  @Test
  void manualAndCompletionAreIncluded() throws IOException {
    assertThat(home.resolve("share/man/man1/weir.1"))
        .content()
        .contains(".SS weir policy apply FILE");
    assertThat(home.resolve("share/bash-completion/completions/weir"))
        .content()
        .contains("complete -F");
    assertThat(home.resolve("LICENSE")).hasSameTextualContentAs(Path.of("../../LICENSE"));
  }

  @Test
  void eachJarHasTheTextOfItsLicence() throws IOException {
    Path licences = home.resolve("share/licenses");
    Map<String, String> listed = Files.readAllLines(licences.resolve("jars.txt")).stream()
        .map(line -> line.split(": "))
        .collect(Collectors.toMap(line -> line[0], line -> line[1]));
    assertThat(listed.entrySet())
        .noneMatch(jar -> jar.getKey().startsWith("lettuce-core-")) // it carries its own
        .anyMatch(
            jar -> jar.getKey().startsWith("netty-") && jar.getValue().equals("texts/LICENSE"))
        .anyMatch(jar ->
            jar.getKey().startsWith("VectorGraphics2D-") && jar.getValue().contains("LGPL-3.0"));
    List<Path> jars = jars("").map(Path::of).toList();
    assertThat(jars).hasSizeGreaterThan(50);
    for (Path jar : jars) {
      String name = jar.getFileName().toString();
      List<Path> texts = listed.containsKey(name)
          ? Stream.of(listed.get(name).split(", ")).map(licences::resolve).toList()
          : List.of(licences.resolve(name.replaceFirst("\\.jar$", "")));
      assertThat(texts).as(name).isNotEmpty().allMatch(Files::exists);
    }
  }

  @Test
  void theListOfContentsHasEachJarTheRuntimeAndRedis() throws IOException {
    Sbom sbom = Sbom.of(home.resolve("share/sbom.json"));
    assertThat(sbom.problems()).isEmpty();
    assertThat(sbom.incomplete()).isEmpty();
    assertThat(sbom.others()).containsExactly("OpenJDK", "Redis");
    assertThat(sbom.jars())
        .containsExactlyInAnyOrderElementsOf(jars("")
            .map(jar -> Path.of(jar).getFileName().toString())
            .filter(jar -> !jar.equals("weir-cluster.jar")) // whose contents these are
            .toList());
  }

  @Test
  void theRuntimeHasEachModuleThatTheJarsUse() throws IOException {
    List<String> command = Stream.concat(
            Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "jdeps").toString(),
                "--ignore-missing-deps",
                "--recursive",
                "--multi-release=17",
                "--print-module-deps",
                "--class-path",
                jars("").collect(Collectors.joining(":"))),
            // Ours begin it: some of the others are modules whose own needs are not here.
            jars("weir-"))
        .toList();
    CommandRun run = CommandRun.of(UP_WITHIN, Map.of(), command);
    assertThat(run.status()).describedAs(run.output()).isZero();
    Set<String> used = new TreeSet<>(Arrays.asList(run.output().strip().split(",")));
    used.add("jdk.crypto.ec"); // TLS finds it at run time
    assertThat(run(home.resolve("runtime/bin/java").toString(), "--list-modules")
            .lines()
            .map(line -> line.replaceFirst("@.*", "")))
        .containsAll(used);
  }

  private static Stream<String> jars(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .map(Path::toString)
          .sorted()
          .toList()
          .stream();
    }
  }

  @Test
  void upStartsAClusterAndEndsWithEverythingItStarted() throws Exception {
    List<Integer> ports = FreePorts.some(3);
    Path directory = folder.resolve("run");
    Path log = folder.resolve("up.log");
    Process up = new ProcessBuilder(
            "env",
            "-i",
            "PATH=/usr/bin:/bin",
            home.resolve("bin/weir").toString(),
            "up",
            "--directory=" + directory,
            "--ports=" + ports.get(0),
            "--admin-ports=" + ports.get(1),
            "--upstream-port=" + ports.get(2))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
    try {
      await().atMost(UP_WITHIN).until(() -> Files.exists(directory.resolve("cluster.json")));
      await().atMost(COMMAND_WITHIN).until(() -> Files.readString(log).contains("Ready ("));
      assertThat(Files.readString(log)).contains("through one node");
      assertThat(ClusterFile.read(directory.resolve("cluster.json")).pid()).isEqualTo(up.pid());
      List<ProcessHandle> started = up.descendants().toList();
      assertThat(started).hasSizeGreaterThanOrEqualTo(2); // Redis and the node
      up.destroy();
      assertThat(up.waitFor(1, TimeUnit.MINUTES)).isTrue();
      // The guard of each ends a moment after it.
      await()
          .atMost(COMMAND_WITHIN)
          .until(() -> started.stream().noneMatch(ProcessHandle::isAlive));
    } finally {
      up.destroyForcibly();
    }
  }

  @Test
  void aNodeServesTlsWithTheCurvesOfTheRuntime() throws Exception {
    List<Integer> ports = FreePorts.some(3);
    try (TestCertificate certificate = TestCertificate.of("localhost");
        EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, ports.get(2))) {
      Process node = new ProcessBuilder(
              "env",
              "-i",
              "PATH=/usr/bin:/bin",
              home.resolve("bin/weir").toString(),
              "node",
              "--host=127.0.0.1",
              "--port=" + ports.get(0),
              "--admin-port=" + ports.get(1),
              "--redis-uri=" + redis.uri(),
              "--policy=" + home.resolve("examples/mainnet.yaml"),
              "--tls-certificate=" + certificate.certificate(),
              "--tls-key=" + certificate.key(),
              "--shutdown-delay-ms=0")
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("node.log").toFile())
          .start();
      try {
        HttpClient client =
            HttpClient.newBuilder().sslContext(trusting(certificate)).build();
        URI ping = URI.create("https://localhost:%d/ping".formatted(ports.get(0)));
        await()
            .atMost(UP_WITHIN)
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(() -> client
                    .send(HttpRequest.newBuilder(ping).build(), BodyHandlers.discarding())
                    .statusCode()
                == 401);
      } finally {
        node.destroy();
        assertThat(node.waitFor(1, TimeUnit.MINUTES)).isTrue();
      }
    }
  }

  private static SSLContext trusting(TestCertificate certificate)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(certificate.certificate())) {
      trusted.setCertificateEntry(
          "node", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static String withoutJava(String... command) {
    List<String> clean = Stream.concat(
            Stream.of("env", "-i", "PATH=/usr/bin:/bin"), Arrays.stream(command))
        .toList();
    return run(clean.toArray(String[]::new));
  }

  private static String run(String... command) {
    CommandRun run = CommandRun.of(COMMAND_WITHIN, command);
    assertThat(run.status()).describedAs(run.output()).isZero();
    return run.output();
  }
}
