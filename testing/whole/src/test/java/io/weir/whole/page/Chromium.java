package io.weir.whole.page;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import io.weir.testkit.CommandRun;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The Chromium of this machine; without one, tests are skipped. */
final class Chromium implements AutoCloseable {
  private static final int LEAST_NODE = 20;

  private final Playwright playwright;
  private final Browser browser;

  private Chromium(Playwright playwright, Browser browser) {
    this.playwright = playwright;
    this.browser = browser;
  }

  static Chromium start() {
    Optional<Path> program = onPath("chromium", "chromium-browser");
    assumeTrue(program.isPresent(), "there is no Chromium on the PATH");
    Optional<Path> driver = onPath("node");
    assumeTrue(driver.filter(Chromium::isNew).isPresent(), "there is no Node.js 20 on the PATH");
    System.setProperty("playwright.nodejs.path", driver.get().toString());
    Playwright playwright = Playwright.create(
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    LaunchOptions options = new LaunchOptions()
        .setExecutablePath(program.get())
        .setArgs(List.of("--no-sandbox")); // it has none for root
    return new Chromium(playwright, playwright.chromium().launch(options));
  }

  private static boolean isNew(Path node) {
    String version = CommandRun.of(Duration.ofSeconds(20), node.toString(), "--version")
        .output()
        .strip();
    return version.matches("v\\d+\\..*")
        && Integer.parseInt(version.substring(1, version.indexOf('.'))) >= LEAST_NODE;
  }

  Browser browser() {
    return browser;
  }

  private static Optional<Path> onPath(String... names) {
    return Stream.of(
            Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
        .flatMap(folder -> Stream.of(names).map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
