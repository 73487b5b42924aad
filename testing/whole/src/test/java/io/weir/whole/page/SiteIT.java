package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The documents as a site, as {@code scripts/site} builds it, on a phone. */
@Tag("page")
final class SiteIT {
  private static final Duration BUILT_WITHIN = Duration.ofMinutes(10);
  private static final Path FOLDER = Path.of("../../deploy/site");
  private static final Path SITE = FOLDER.resolve("target/site");
  private static final String URL = "http://site.invalid/";
  private static final String VERSION = "0.0.1";
  private static final int WIDTH = 390;
  private static final int HEIGHT = 844;

  private static Chromium chromium;
  private static Page page;

  @BeforeAll
  static void build() {
    chromium = Chromium.start();
    CommandRun built = CommandRun.of(BUILT_WITHIN, "../../scripts/site", "--version", VERSION);
    boolean isFetched = Files.exists(FOLDER.resolve("node_modules/.built-from"));
    if (!isFetched) {
      System.out.println("skipped: npm cannot fetch VitePress: " + built.output());
    }
    assumeTrue(isFetched, "skipped: npm cannot fetch VitePress");
    assertThat(built.succeeded()).as(built.output()).isTrue();
    page = chromium
        .browser()
        .newContext(new NewContextOptions().setViewportSize(WIDTH, HEIGHT))
        .newPage();
    page.route("**/*", SiteIT::serve);
  }

  @AfterAll
  static void end() {
    if (chromium != null) {
      chromium.close();
    }
  }

  private static void serve(Route route) {
    Path file = SITE.resolve(URI.create(route.request().url()).getPath().substring(1));
    if (Files.isRegularFile(file)) {
      route.fulfill(new Route.FulfillOptions().setPath(file));
    } else {
      route.fulfill(new Route.FulfillOptions().setStatus(404));
    }
  }

  private static List<String> pages() throws IOException {
    try (Stream<Path> files = Files.walk(SITE.resolve(VERSION))) {
      return files
          .filter(file -> file.toString().endsWith(".html"))
          .map(file -> SITE.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void noPageIsWiderThanAPhone() throws IOException {
    List<String> wide = new ArrayList<>();
    List<String> pages = pages();
    assertThat(pages).hasSizeGreaterThan(100);
    for (String one : pages) {
      page.navigate(URL + one);
      if (width() > WIDTH) {
        wide.add(one + ": " + width());
      }
    }
    assertThat(wide).as("pages wider than %d pixels", WIDTH).isEmpty();
    page.locator("h1").first().evaluate("heading => { heading.style.width = '400px' }");
    assertThat(width()).as("a page that is too wide is found").isGreaterThan(WIDTH);
  }

  private static int width() {
    return (Integer)
        page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)");
  }

  @Test
  void theSearchFindsAPageWithoutAServer() {
    page.navigate(URL + VERSION + "/documents.html");
    page.locator("#local-search button").click();
    page.locator("#localsearch-input").fill("retired metrics");
    Locator first = page.locator("#localsearch-list a").first();
    assertThat(first).containsText(Pattern.compile("stab|metric", Pattern.CASE_INSENSITIVE));
    first.click();
    assertThat(page).hasURL(Pattern.compile("/reference/"));
    assertThat(page.locator("h1").first()).isVisible();
  }
}
