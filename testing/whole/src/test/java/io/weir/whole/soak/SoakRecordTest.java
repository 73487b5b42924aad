package io.weir.whole.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of the soak has the sums of its record. With {@code -Dweir.write=true} this test writes them. */
final class SoakRecordTest {
  private static final Path FOLDER = Path.of("../../docs/explanation");
  private static final Path RECORD = FOLDER.resolve("soak.csv");
  private static final Path PAGE = FOLDER.resolve("soak.md");
  private static final String BEGIN = "<!-- pieces -->\n";
  private static final String END = "<!-- end -->";

  @Test
  void thePageHasTheSums() throws IOException {
    String table = SoakRecord.read(RECORD).table();
    String page = Files.readString(PAGE);
    if (Boolean.getBoolean("weir.write")) {
      int begin = page.indexOf(BEGIN) + BEGIN.length();
      page = page.substring(0, begin) + table + page.substring(page.indexOf(END, begin));
      Files.writeString(PAGE, page);
    }
    assertThat(page).contains(BEGIN + table + END);
  }

  @Test
  void piecesAddUp(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("pieces.csv");
    Map<String, Object> piece = new LinkedHashMap<>();
    for (String name : List.of(Files.readAllLines(RECORD).get(0).split(","))) {
      piece.put(name, name.endsWith(" 2") ? 11 : 10);
    }
    SoakRecord.add(file, piece);
    piece.put("minutes", 30);
    piece.put("heap KiB 2", 9);
    SoakRecord.add(file, piece);
    piece.put("commit", "other");
    piece.put("used of 60", 50);
    piece.put("heap KiB 1", 8);
    SoakRecord.add(file, piece);

    assertThat(SoakRecord.read(file).table())
        .contains("| time | 70 of 1,440 minutes |")
        .contains("| pieces, and builds that they tried | 3; 2 |")
        .contains("| upgrades or downgrades of two nodes | 30 |")
        .contains("| jobs done, and executed again | 30; 30 |")
        .contains("| most used of the quota of 60 per minute | 50 |")
        .contains("| heap KiB | 8 to 10 | 9 | +13 % |")
        .contains("| descriptors | 10 | 11 | +10 % |");
  }

  @Test
  void aPieceWithOtherColumnsIsRefused(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("pieces.csv");
    SoakRecord.add(file, Map.of("minutes", 10));
    assertThatThrownBy(() -> SoakRecord.add(file, Map.of("hours", 1)))
        .hasMessageContaining("other columns: minutes");
  }
}
