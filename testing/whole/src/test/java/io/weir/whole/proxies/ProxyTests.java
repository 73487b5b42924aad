package io.weir.whole.proxies;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the configurations of {@code deploy/proxies}, in the real proxies: each has a fixture of its own. */
@Tag("proxies")
abstract class ProxyTests {
  @TempDir
  private Path directory;

  /** Of the test that runs. */
  protected ProxyFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ProxyFixture(directory);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.close();
  }
}
