package io.weir.cluster.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cluster.local.Herd.Caller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

final class HerdAnimationTest {
  private static final long SECOND_NANOS = 1_000_000_000;

  @TempDir
  private Path folder;

  @Test
  void everyTenthOfAThousandCallersIsADotWhoseTimesAscendFromTheBeginToTheEnd() throws Exception {
    NodeList dots = drawn(Map.of(Patience.SLOTS, herd(2), Patience.NEXT_TOKEN, herd(6)))
        .getElementsByTagName("circle");
    assertThat(dots.getLength()).isEqualTo(200);
    for (int i = 0; i < dots.getLength(); i++) {
      Element motion =
          (Element) ((Element) dots.item(i)).getElementsByTagName("animate").item(0);
      double[] times = numbers(motion, "keyTimes");
      assertThat(times).isSorted().startsWith(0).endsWith(1);
      assertThat(numbers(motion, "values")).hasSameSizeAs(times);
    }
    assertThat(Files.size(folder.resolve("herd.svg"))).isLessThan(100_000);
  }

  @Test
  void aDotIsAtTheGateOncePerRequestAndThenBehindIt() throws Exception {
    List<Caller> callers =
        List.of(new Caller(List.of(0L, SECOND_NANOS, SECOND_NANOS * 3 / 2), 2 * SECOND_NANOS));
    Element motion = (Element) ((Element) drawn(Map.of(Patience.SLOTS, callers))
            .getElementsByTagName("circle")
            .item(0))
        .getElementsByTagName("animate")
        .item(0);
    double[] places = numbers(motion, "values");
    double gate = 177;
    assertThat(Arrays.stream(places).filter(place -> place == gate).count()).isEqualTo(3);
    assertThat(places[places.length - 1]).isGreaterThan(gate);
  }

  @Test
  void theLastCountHasAllRequests() throws Exception {
    drawn(Map.of(Patience.SLOTS, herd(2)));
    assertThat(Files.readString(folder.resolve("herd.svg")))
        .contains("1.5 s: 2,000 requests, 1,000 rejected");
  }

  private Element drawn(Map<Patience, List<Caller>> herds) throws Exception {
    Path file = folder.resolve("herd.svg");
    HerdAnimation.write(file, "a title", new TreeMap<>(herds));
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(file.toFile())
        .getDocumentElement();
  }

  private static double[] numbers(Element motion, String attribute) {
    return Arrays.stream(motion.getAttribute(attribute).split(";", -1))
        .mapToDouble(Double::parseDouble)
        .toArray();
  }

  /** Callers that ask once per second, and are admitted by the last request, after half a second more. */
  private static List<Caller> herd(int requests) {
    List<Long> sent =
        LongStream.range(0, requests).map(i -> i * SECOND_NANOS).boxed().toList();
    long admitted = (requests - 1) * SECOND_NANOS + SECOND_NANOS / 2;
    return IntStream.range(0, 1000).mapToObj(i -> new Caller(sent, admitted)).toList();
  }
}
