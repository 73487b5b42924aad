package io.weir.cluster.local;

import static java.util.Objects.requireNonNull;

import io.weir.cluster.local.Herd.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Draws herds in motion, side by side, as an SVG that needs no script. A dot stands for so many callers: it goes to the
 * gate for each request, and returns or passes at the time of the run. Mutable; owned by {@link #write}.
 */
public final class HerdAnimation {
  private static final int MOST_DOTS = 100;
  private static final int ROWS = 10;
  private static final int SEAT = 15;
  private static final int HALF = 370;
  private static final int HEIGHT = 296;
  private static final int TOP = 106;
  private static final int MARGIN = 20;
  private static final int GATE = HALF / 2;
  private static final double LEAD_SECONDS = 1;
  private static final double REST_SECONDS = 3;
  private static final double COUNTS_PER_SECOND = 2;

  private static final Map<Patience, String> CAPTIONS = Map.of(
      Patience.SLOTS, "Weir: each caller gets its own time",
      Patience.NEXT_TOKEN, "One retry time for all callers",
      Patience.BACKOFF, "Exponential backoff");

  // Waiting dots are blue, dots near the gate red, admitted ones green.
  private static final String HEAD = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" \
      font-family="sans-serif" font-size="17" text-anchor="middle" fill="#333">
      <linearGradient id="way" gradientUnits="userSpaceOnUse" x1="0" x2="%3$d">
      <stop offset=".445" stop-color="#5b7fa6"/><stop offset=".475" stop-color="#d62728"/>
      <stop offset=".50" stop-color="#d62728"/><stop offset=".51" stop-color="#2a9d4e"/>
      </linearGradient>
      <rect width="%1$d" height="%2$d" rx="8" fill="#fff"/>
      """;

  private static final String MOTION = """
      <animate attributeName="%s" dur="%.1fs" repeatCount="indefinite"%s values="%s" keyTimes="%s"/>\
      """;

  private final StringBuilder svg = new StringBuilder();
  private final int counts;
  private final double seconds;

  private HerdAnimation(double runSeconds) {
    this.counts = (int) Math.ceil(runSeconds * COUNTS_PER_SECOND);
    this.seconds = LEAD_SECONDS + runSeconds + REST_SECONDS;
  }

  /**
   * Writes the animation.
   *
   * @param title the first line of the picture
   * @param herds the results of each kind of caller; callers that were not admitted stay in front of the gate
   */
  public static void write(Path file, String title, Map<Patience, List<Caller>> herds)
      throws IOException {
    HerdAnimation animation = new HerdAnimation(herds.values().stream()
        .flatMap(List::stream)
        .mapToDouble(HerdAnimation::end)
        .max()
        .orElse(0));
    animation.draw(title, herds);
    Files.writeString(file, animation.svg);
  }

  private static double end(Caller caller) {
    long last = caller.sentNanos().get(caller.attempts() - 1);
    return seconds(Math.max(last, caller.admittedNanos()));
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }

  private void draw(String title, Map<Patience, List<Caller>> herds) {
    add(HEAD, HALF * herds.size(), HEIGHT, HALF);
    add("<text x=\"%d\" y=\"26\">%s</text>\n", HALF * herds.size() / 2, title);
    int left = 0;
    for (Map.Entry<Patience, List<Caller>> herd : herds.entrySet()) {
      add("<g transform=\"translate(%d)\">\n", left);
      add(
          "<text x=\"%d\" y=\"54\" font-weight=\"bold\">%s</text>\n",
          GATE, requireNonNull(CAPTIONS.get(herd.getKey())));
      half(herd.getValue());
      add("</g>\n");
      left += HALF;
    }
    add("</svg>\n");
  }

  private void half(List<Caller> callers) {
    add("<text x=\"%d\" y=\"84\" font-size=\"14\">waiting</text>\n", MARGIN + ROWS * SEAT / 2);
    add(
        "<text x=\"%d\" y=\"84\" font-size=\"14\">admitted</text>\n",
        HALF - MARGIN - ROWS * SEAT / 2);
    add(
        "<path d=\"M%d %dv%d\" stroke=\"#333\" stroke-width=\"2\"/>\n",
        GATE, TOP - SEAT, (ROWS + 1) * SEAT);
    add("<g fill=\"url(#way)\">\n");
    int of = (callers.size() + MOST_DOTS - 1) / MOST_DOTS;
    IntStream.range(0, callers.size())
        .filter(i -> i % of == 0)
        .forEach(i -> dot(callers.get(i), i / of));
    add("</g>\n");
    IntStream.rangeClosed(0, counts).forEach(i -> count(callers, i));
  }

  /** A dot stays in its row, and has a seat on each side of the gate. */
  private void dot(Caller caller, int index) {
    int column = index / ROWS * SEAT + SEAT / 2;
    int y = TOP + index % ROWS * SEAT;
    DotPath path = new DotPath(MARGIN + column, seconds);
    for (long sent : caller.sentNanos()) {
      path.request(GATE - 8, LEAD_SECONDS + seconds(sent));
    }
    boolean admitted = caller.admittedNanos() >= 0;
    path.end((admitted ? HALF - MARGIN - ROWS * SEAT : MARGIN) + column);
    add("<circle r=\"5\" cy=\"%d\" cx=\"%d\">", y, MARGIN + column);
    add(MOTION, "cx", seconds, "", path.values(), path.times());
    add("</circle>\n");
  }

  /** The numbers of requests until an instant, shown from then until the next one. */
  private void count(List<Caller> callers, int index) {
    double second = index / COUNTS_PER_SECOND;
    long sent = callers.stream()
        .flatMap(caller -> caller.sentNanos().stream())
        .filter(nanos -> seconds(nanos) <= second)
        .count();
    long admitted = callers.stream()
        .filter(caller -> caller.admittedNanos() >= 0 && seconds(caller.admittedNanos()) <= second)
        .count();
    boolean isLast = index == counts;
    String begin = index == 0 ? "0" : DotPath.part((LEAD_SECONDS + second) / seconds);
    String end =
        isLast ? "1" : DotPath.part((LEAD_SECONDS + second + 1 / COUNTS_PER_SECOND) / seconds);
    add("<text x=\"%d\" y=\"%d\" visibility=\"hidden\">", GATE, HEIGHT - 18);
    add("%.1f s: %,d requests, %,d rejected", second, sent, sent - admitted);
    add(
        MOTION,
        "visibility",
        seconds,
        " calcMode=\"discrete\"",
        isLast ? "hidden;visible;visible" : "hidden;visible;hidden",
        "0;%s;%s".formatted(begin, end));
    add("</text>\n");
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }
}
