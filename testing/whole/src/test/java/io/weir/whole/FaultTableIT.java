package io.weir.whole;

import io.weir.whole.Faults.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

/**
 * Breaks Redis, the network and nodes under load, and measures the effect on callers. A few faults run in the group
 * {@code faults}, all with {@code -Dweir.faults=all} ({@code scripts/faults}), which writes the table that users read.
 */
@Tag("faults")
final class FaultTableIT {
  private static final boolean ARE_ALL = "all".equals(System.getProperty("weir.faults"));
  private static final String ONLY = System.getProperty("weir.faults.only", "");
  private static final Path TABLE = Path.of("../../docs/reference/faults.md");
  private static final String BEGIN = "| Fault | Promise |";
  private static final String END = "<!-- end of the table -->";

  private static final Map<String, String> ROWS = new LinkedHashMap<>();

  static List<Fault> faults() {
    return Faults.all().stream()
        .filter(
            fault -> ONLY.isEmpty() ? ARE_ALL || fault.isQuick() : fault.name().contains(ONLY))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void callersNoticeNoMoreThanIsPromised(Fault fault) {
    String measured = "did not keep the promise";
    try {
      FaultRow row = fault.run().get();
      measured = row.asTable();
    } catch (TestAbortedException e) {
      measured = "not run: " + e.getMessage();
      throw e;
    } finally {
      System.out.printf("fault: %s | %s%n", fault.name(), measured);
      ROWS.put(fault.name(), "| %s | %s | %s |".formatted(fault.name(), fault.promise(), measured));
    }
  }

  @AfterAll
  static void writeTheTable() throws IOException {
    if (!ARE_ALL || !ONLY.isEmpty()) {
      return;
    }
    String document = Files.readString(TABLE);
    int begin = document.indexOf(BEGIN);
    int end = document.indexOf(END);
    String table = BEGIN
        + " Recovered after | Admitted of the limit | Failed | Hung | Broken places | Longest block |\n"
        + "|---|---|---|---|---|---|---|---|\n"
        + String.join("\n", ROWS.values())
        + "\n\n";
    Files.writeString(TABLE, document.substring(0, begin) + table + document.substring(end));
  }
}
