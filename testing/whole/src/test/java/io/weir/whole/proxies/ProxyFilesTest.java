package io.weir.whole.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user of a proxy copies and changes. */
final class ProxyFilesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nginx.conf",
        "Caddyfile",
        "haproxy.cfg",
        "traefik.yml",
        "envoy.yaml",
        "ingress.yaml"
      })
  void aUserWritesFewerThanTwentyLines(String file) throws IOException {
    assertThat(Files.readAllLines(ProxyProcess.FILES.resolve(file)))
        .filteredOn(line -> !line.isBlank() && !line.strip().startsWith("#"))
        .hasSizeLessThan(20);
  }
}
