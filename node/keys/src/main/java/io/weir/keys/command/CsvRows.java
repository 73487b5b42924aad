package io.weir.keys.command;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.keys.command.RowReader.Row;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reads CSV (RFC 4180): the first line has the names of the columns, and shows what separates them, a comma, a semicolon
 * or a tab.
 *
 * @param columns their names
 */
record CsvRows(List<String> columns, char separator) {
  private static final ObjectReader CSV =
      new CsvMapper().readerFor(String[].class).with(CsvParser.Feature.WRAP_AS_ARRAY);

  private static final List<String> KNOWN =
      List.of("id", "tenant", "plan", "key", "secretHash", "state", "expires", "labels", "note");

  /**
   * Reads the first line.
   *
   * @throws IllegalArgumentException if it does not name columns
   */
  static CsvRows withHeader(RowReader rows) throws IOException {
    Row header = rows.line()
        .orElseThrow(() -> new IllegalArgumentException(
            "nothing is there (expected: a line with the names of columns)"));
    if (header.problem().isPresent()) {
      throw new IllegalArgumentException("line 1: " + header.problem().get());
    }
    char separator = separator(header.text());
    List<String> columns = cells(header.text(), separator).orElse(List.of(header.text())).stream()
        .map(String::strip)
        .toList();
    for (int i = 0; i < columns.size(); i++) {
      // Not repeated: in a file without names it may be a secret.
      if (!KNOWN.contains(columns.get(i)) || columns.indexOf(columns.get(i)) < i) {
        throw new IllegalArgumentException(
            "line 1: the column %d has no known name, or that of another one (expected: names of %s)"
                .formatted(i + 1, String.join(", ", KNOWN)));
      }
    }
    return new CsvRows(columns, separator);
  }

  private static char separator(String header) {
    return header.indexOf(',') >= 0 ? ',' : header.indexOf(';') >= 0 ? ';' : '\t';
  }

  /** A row, its key in clear; empty for a row of which all cells are blank. */
  Optional<KeyRow> row(Row row) {
    if (row.problem().isPresent()) {
      return refused(row, row.problem().get());
    }
    Optional<List<String>> cells = cells(row.text(), separator);
    if (cells.isEmpty()) {
      return refused(row, "text follows a quoted cell");
    }
    List<String> all = cells.get().stream().map(String::strip).toList();
    if (all.stream().allMatch(String::isEmpty)) {
      return Optional.empty();
    }
    if (all.size() != columns.size()) {
      return refused(row, "%d cells (expected: %d)".formatted(all.size(), columns.size()));
    }
    JsonObject json = new JsonObject();
    for (int i = 0; i < columns.size(); i++) {
      if (!all.get(i).isEmpty()) {
        put(json, columns.get(i), all.get(i));
      }
    }
    boolean promisesKeys = columns.contains("key") || columns.contains("secretHash");
    boolean hasNone = !json.containsKey("key") && !json.containsKey("secrets");
    List<String> problems = promisesKeys && hasNone
        ? List.of("key: nothing (expected: the key, or its hash)")
        : List.of();
    return Optional.of(new KeyRow(row.line(), row.last(), json, problems));
  }

  private static Optional<KeyRow> refused(Row row, String problem) {
    return Optional.of(KeyRow.refused(row, problem));
  }

  private static void put(JsonObject json, String column, String value) {
    switch (column) {
      case "secretHash" ->
        json.put("secrets", new JsonArray().add(new JsonObject().put("hash", value)));
      case "labels" -> {
        JsonObject labels = new JsonObject();
        for (String label : value.split(";", -1)) {
          String[] parts = label.split("=", 2);
          labels.put(parts[0].strip(), parts.length == 2 ? parts[1].strip() : "");
        }
        json.put("labels", labels);
      }
      default -> json.put(column, value);
    }
  }

  /** The cells of a row; empty if text follows the end of a quoted one. */
  private static Optional<List<String>> cells(String row, char separator) {
    CsvSchema schema = CsvSchema.emptySchema().withColumnSeparator(separator);
    try (MappingIterator<String[]> rows = CSV.with(schema).readValues(row)) {
      return Optional.of(rows.hasNextValue() ? List.of(rows.nextValue()) : List.of(row));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
