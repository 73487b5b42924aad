package io.weir.whole.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.whole.proxies.ProxyProcess.Kind;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a user of a proxy copies and changes. */
final class ProxyFilesTest {
  @ParameterizedTest
  @EnumSource
  void aUserWritesFewerThanTwentyLines(Kind kind) throws IOException {
    assertThat(Files.readAllLines(kind.ownFile()))
        .filteredOn(line -> !line.isBlank() && !line.strip().startsWith("#"))
        .hasSizeLessThan(20);
  }
}
