package io.weir.node.command;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table that fits a terminal of 80 columns: what is too long is cut, or continues on the next line. Immutable.
 *
 * @param <T> a row
 */
public final class Table<T> {
  /** The width of a terminal, whatever it is. */
  public static final int WIDTH = 80;

  private static final String GAP = "  ";
  private static final String CUT = "…";
  private static final int LEAST = 8;

  private final List<Column<T>> columns;

  private Table(List<Column<T>> columns) {
    this.columns = List.copyOf(columns);
  }

  private enum Form {
    /** Cut if the line is too long. */
    TEXT,
    /** Never cut: half of it would be of no use. */
    WHOLE,
    /** At the right of its column. */
    NUMBER,
    /** Continues on the next line; for the last column. */
    WRAPPED
  }

  private record Column<T>(String title, Form form, Function<T, String> cell) {
    boolean mayShrink() {
      return form == Form.TEXT || form == Form.WRAPPED;
    }
  }

  /** A table without columns. */
  public static <T> Table<T> of() {
    return new Table<>(List.of());
  }

  /** Adds a column for texts, which may be cut. */
  public Table<T> text(String title, Function<T, String> cell) {
    return with(new Column<>(title, Form.TEXT, cell));
  }

  /** Adds a column for texts that are never cut, such as ids. */
  public Table<T> whole(String title, Function<T, String> cell) {
    return with(new Column<>(title, Form.WHOLE, cell));
  }

  /** Adds a column for numbers. */
  public Table<T> number(String title, Function<T, Object> cell) {
    return with(new Column<>(title, Form.NUMBER, cell.andThen(String::valueOf)));
  }

  /** Adds the last column, for sentences. */
  public Table<T> sentence(String title, Function<T, String> cell) {
    return with(new Column<>(title, Form.WRAPPED, cell));
  }

  private Table<T> with(Column<T> column) {
    List<Column<T>> all = new ArrayList<>(columns);
    all.add(column);
    return new Table<>(all);
  }

  /** Prints the titles and the rows; nothing if there are no rows. */
  public void print(List<T> rows, PrintWriter out) {
    if (rows.isEmpty()) {
      return;
    }
    List<List<String>> lines = new ArrayList<>();
    lines.add(columns.stream().map(Column::title).toList());
    rows.forEach(row ->
        lines.add(columns.stream().map(column -> column.cell().apply(row)).toList()));
    int[] widths = widths(lines);
    lines.forEach(cells -> print(cells, widths, out));
    out.flush();
  }

  // The widest column that may shrink does, until the line fits.
  private int[] widths(List<List<String>> lines) {
    int[] widths = IntStream.range(0, columns.size())
        .map(i -> lines.stream().mapToInt(cells -> length(cells.get(i))).max().orElse(0))
        .toArray();
    int most = WIDTH - GAP.length() * (columns.size() - 1);
    while (IntStream.of(widths).sum() > most) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        boolean mayShrink = columns.get(i).mayShrink() && widths[i] > LEAST;
        if (mayShrink && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return widths;
      }
      widths[widest]--;
    }
    return widths;
  }

  private void print(List<String> cells, int[] widths, PrintWriter out) {
    int last = columns.size() - 1;
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < last; i++) {
      line.append(padded(cells.get(i), widths[i], columns.get(i).form())).append(GAP);
    }
    String end = cells.get(last);
    if (columns.get(last).form() == Form.WRAPPED) {
      out.println(Wrapped.text(end, widths[last])
          .lines()
          .collect(Collectors.joining(System.lineSeparator() + " ".repeat(line.length()), line, ""))
          .stripTrailing());
    } else {
      line.append(padded(end, widths[last], columns.get(last).form()));
      out.println(line.toString().stripTrailing());
    }
  }

  private static String padded(String text, int width, Form form) {
    String fit = form == Form.TEXT && length(text) > width
        ? text.substring(0, text.offsetByCodePoints(0, width - 1)) + CUT
        : text;
    String blanks = " ".repeat(Math.max(0, width - length(fit)));
    return form == Form.NUMBER ? blanks + fit : fit + blanks;
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
