package io.weir.cluster.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import io.weir.cluster.local.Herd.Caller;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the attempts and waits of herds, side by side, as SVG. */
public final class HerdChart {
  private static final int WIDTH = 520;
  private static final int HEIGHT = 360;
  private static final int PERCENT = 100;
  // A hundredth of a pixel is enough; more digits would be three quarters of the file.
  private static final Pattern TOO_FINE = Pattern.compile("(\\.\\d\\d)\\d+");
  private static final Color INK = new Color(0x33, 0x33, 0x33);
  private static final Map<Patience, Color> COLOURS = Map.of(
      Patience.SLOTS, new Color(0x1f, 0x77, 0xb4),
      Patience.NEXT_TOKEN, new Color(0xd6, 0x27, 0x28),
      Patience.BACKOFF, new Color(0xe0, 0x8a, 0x00));

  private HerdChart() {}

  /**
   * Writes the chart. Callers that were not admitted count with their attempts, but have no wait.
   *
   * @param herds the results of each kind of caller
   */
  public static void write(Path file, Map<Patience, List<Caller>> herds) throws IOException {
    VectorGraphics2D page = new VectorGraphics2D();
    attempts(herds).paint(page, WIDTH, HEIGHT);
    page.translate(WIDTH, 0);
    waits(herds).paint(page, WIDTH, HEIGHT);
    Document document =
        new SVGProcessor().getDocument(page.getCommands(), new PageSize(2.0 * WIDTH, HEIGHT));
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    document.writeTo(svg);
    Files.writeString(file, TOO_FINE.matcher(svg.toString(UTF_8)).replaceAll("$1"));
  }

  private static XYChart attempts(Map<Patience, List<Caller>> herds) {
    XYChart chart = empty("Attempts of each caller", "attempts");
    herds.forEach((patience, callers) -> add(chart, patience, callers, Caller::attempts));
    return chart;
  }

  private static XYChart waits(Map<Patience, List<Caller>> herds) {
    XYChart chart = empty("Wait of each caller", "seconds");
    herds.forEach((patience, callers) -> {
      List<Caller> admitted =
          callers.stream().filter(one -> one.admittedNanos() >= 0).toList();
      add(chart, patience, admitted, one -> one.admittedNanos() / 1e9);
    });
    return chart;
  }

  private static XYChart empty(String title, String what) {
    XYChart chart = new XYChartBuilder()
        .width(WIDTH)
        .height(HEIGHT)
        .title(title)
        .xAxisTitle("% of the callers, the luckiest first")
        .yAxisTitle(what)
        .build();
    XYStyler styler = chart.getStyler();
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartFontColor(INK);
    styler.setPlotBorderVisible(false);
    styler.setXAxisDecimalPattern("#0");
    styler.setYAxisDecimalPattern("#0");
    styler.setXAxisTickMarkSpacingHint(70);
    styler.setYAxisMin(0.0);
    styler.setXAxisMin(0.0);
    styler.setXAxisMax((double) PERCENT);
    return chart;
  }

  private static void add(
      XYChart chart, Patience patience, List<Caller> callers, ToDoubleFunction<Caller> value) {
    double[] sorted = callers.stream().mapToDouble(value).sorted().toArray();
    if (sorted.length == 0) {
      return;
    }
    double[] percents = IntStream.rangeClosed(0, PERCENT).asDoubleStream().toArray();
    double[] values = IntStream.rangeClosed(0, PERCENT)
        .mapToDouble(percent -> sorted[percent * (sorted.length - 1) / PERCENT])
        .toArray();
    XYSeries series = chart.addSeries(patience.text(), percents, values);
    series
        .setMarker(SeriesMarkers.NONE)
        .setLineStyle(new BasicStroke(2))
        .setLineColor(COLOURS.getOrDefault(patience, INK));
  }
}
