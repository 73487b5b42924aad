package io.weir.cluster.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cluster.local.Herd.Caller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

final class HerdChartTest {
  @Test
  void everyHerdIsALineInBothHalves(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("herd.svg");
    HerdChart.write(
        file,
        Map.of(
            Patience.SLOTS, herd(2),
            Patience.NEXT_TOKEN, herd(7),
            Patience.BACKOFF, List.of(new Caller(List.of(0L, 1L, 2L), -1))));
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newInstance();
    parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    Document svg = parsers.newDocumentBuilder().parse(file.toFile());
    assertThat(svg.getDocumentElement().getAttribute("viewBox")).isEqualTo("0 0 1040 360");
    String text = Files.readString(file);
    assertThat(text).contains("rgb(31,119,180)", "rgb(214,39,40)", "rgb(224,138,0)");
    assertThat(text.length()).isLessThan(400_000);
  }

  private static List<Caller> herd(int attempts) {
    return IntStream.range(0, 1000)
        .mapToObj(
            i -> new Caller(Collections.nCopies(1 + i * attempts / 1000, 0L), i * 10_000_000L))
        .toList();
  }
}
