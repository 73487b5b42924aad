package io.weir.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws admitted decisions per second under the highest load, as SVG. */
final class ResultChart {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final Color INK = new Color(0x33, 0x33, 0x33);
  private static final Color[] COLOURS = {new Color(0xe0, 0x8a, 0x00), new Color(0x1f, 0x77, 0xb4)};

  // Exponents of ten.
  private static final double LOWEST = 2;
  private static final double HIGHEST = 7;

  private ResultChart() {}

  static void write(Path file, List<Measurement> measurements) throws IOException {
    VectorGraphics2D page = new VectorGraphics2D();
    chart(measurements).paint(page, WIDTH, HEIGHT);
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    new SVGProcessor()
        .getDocument(page.getCommands(), new PageSize(WIDTH, HEIGHT))
        .writeTo(svg);
    Files.writeString(file, svg.toString(UTF_8));
  }

  private static String power(double exponent) {
    return exponent == Math.rint(exponent) ? "%,.0f".formatted(Math.pow(10, exponent)) : "";
  }

  private static CategoryChart chart(List<Measurement> measurements) {
    int most = measurements.stream().mapToInt(Measurement::inFlight).max().orElse(0);
    CategoryChart chart = new CategoryChartBuilder()
        .width(WIDTH)
        .height(HEIGHT)
        .title("Decisions a second, %d in flight, a logarithmic scale".formatted(most))
        .build();
    for (int subjects : new int[] {10_000, 1}) {
      List<Measurement> some = measurements.stream()
          .filter(one -> one.inFlight() == most && one.subjects() == subjects && !one.isDenied())
          .toList();
      if (!some.isEmpty()) {
        List<String> names = new ArrayList<>();
        List<Double> figures = new ArrayList<>();
        some.forEach(one -> {
          names.add(one.contender());
          figures.add(Math.log10(one.median(Sample::perSecond)));
        });
        chart.addSeries(subjects == 1 ? "one hot key" : "10,000 keys", names, figures);
      }
    }
    chart.getStyler().setXAxisLabelRotation(35);
    chart.getStyler().setYAxisMin(LOWEST).setYAxisMax(HIGHEST);
    chart.getStyler().setyAxisTickLabelsFormattingFunction(ResultChart::power);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(LegendLayout.Horizontal);
    chart.getStyler().setSeriesColors(COLOURS);
    chart.getStyler().setChartFontColor(INK).setChartBackgroundColor(Color.WHITE);
    return chart;
  }
}
