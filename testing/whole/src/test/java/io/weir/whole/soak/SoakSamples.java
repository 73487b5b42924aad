package io.weir.whole.soak;

import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.CommandRun;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a node and Redis hold, sampled from time to time. Owned by one thread. */
final class SoakSamples {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
  private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

  /** A quantity that has to be flat: it may grow by a fifth, and by this much. */
  enum Quantity {
    HEAP_KIB(4096),
    RESIDENT_KIB(32_768),
    DESCRIPTORS(10),
    REDIS_KEYS(60),
    REDIS_KIB(2048);

    private final long slack;

    Quantity(long slack) {
      this.slack = slack;
    }

    /** Its name in the record. */
    String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace(" kib", " KiB");
    }
  }

  private final Map<Quantity, List<Long>> samples = new LinkedHashMap<>();

  /** Reads everything; the heap after a collection. */
  void take(NodeProcess node, RedisProcess redis) throws IOException {
    String pid = Long.toString(node.pid());
    Matcher total = TOTAL.matcher(
        CommandRun.of(WITHIN, JCMD.toString(), pid, "GC.class_histogram").output());
    if (total.find()) {
      add(Quantity.HEAP_KIB, Long.parseLong(total.group(1)) / 1024);
    }
    Path process = Path.of("/proc", pid);
    add(
        Quantity.RESIDENT_KIB,
        number(Files.readString(process.resolve("status")), "VmRSS:\\s+(\\d+)"));
    try (Stream<Path> open = Files.list(process.resolve("fd"))) {
      add(Quantity.DESCRIPTORS, open.count());
    }
    add(Quantity.REDIS_KEYS, number(redis.ask("DBSIZE"), ":(\\d+)"));
    add(Quantity.REDIS_KIB, number(redis.ask("INFO memory"), "used_memory:(\\d+)") / 1024);
  }

  private static long number(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    if (!found.find()) {
      throw new IllegalStateException(pattern + " is not in " + text);
    }
    return Long.parseLong(found.group(1));
  }

  private void add(Quantity quantity, long value) {
    samples.computeIfAbsent(quantity, none -> new ArrayList<>()).add(value);
  }

  /** The medians of the two halves after the warm-up, which is a share of the samples, by quantity. */
  Map<Quantity, long[]> halves(double warmUp) {
    Map<Quantity, long[]> halves = new LinkedHashMap<>();
    samples.forEach((quantity, all) -> {
      List<Long> warm = all.subList((int) (warmUp * all.size()), all.size());
      int middle = warm.size() / 2;
      halves.put(quantity, new long[] {
        median(warm.subList(0, middle)), median(warm.subList(middle, warm.size()))
      });
    });
    return halves;
  }

  private static long median(List<Long> some) {
    return some.stream().sorted().skip(some.size() / 2).findFirst().orElse(0L);
  }

  /** The quantities that have grown in the second half. */
  List<String> grown(double warmUp) {
    List<String> grown = new ArrayList<>();
    halves(warmUp).forEach((quantity, halves) -> {
      if (halves[1] > halves[0] + halves[0] / 5 + quantity.slack) {
        grown.add(
            "%s: %d, then %d: %s".formatted(quantity, halves[0], halves[1], samples.get(quantity)));
      }
    });
    return grown;
  }
}
