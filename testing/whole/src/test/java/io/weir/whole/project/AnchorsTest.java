package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A link to a heading of a document leads to one, by the rules of {@code deploy/site/.vitepress/links.mjs}. */
@Tag("once")
final class AnchorsTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s#:]*)#([^()\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  @Test
  void everyAnchorIsAHeading() throws IOException {
    List<String> missing = new ArrayList<>();
    int anchors = 0;
    List<Path> documents =
        Sources.all().stream().filter(file -> file.toString().endsWith(".md")).toList();
    for (Path document : documents) {
      Matcher link = LINK.matcher(Files.readString(document));
      while (link.find()) {
        Path target = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1));
        if (target.toString().endsWith(".md")) {
          anchors++;
          if (!headings(target).contains(link.group(2))) {
            missing.add(document + ": " + link.group());
          }
        }
      }
    }
    assertThat(anchors).isGreaterThan(100);
    assertThat(missing).isEmpty();
  }

  private static Set<String> headings(Path document) throws IOException {
    String prose = CODE.matcher(Files.readString(document)).replaceAll("");
    return HEADING
        .matcher(prose)
        .results()
        .map(heading -> heading.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1"))
        .map(heading -> heading.strip().toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}\\p{M}\\s_-]", "").replaceAll("\\s", "-"))
        .collect(Collectors.toSet());
  }
}
