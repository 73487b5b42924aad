package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.Problem;
import io.weir.keys.command.RowReader.Row;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads keys from files: CSV, JSON lines, the declarative configuration of Kong (decK), and policies. What cannot be read
 * of a row refuses this row; what cannot be read of a document refuses the file before its first row. No message repeats
 * a credential.
 *
 * @param tenant of keys that name none
 * @param plan of keys that name none; empty for none
 */
record KeyFiles(Optional<String> tenant, Optional<String> plan) {

  /** The forms of files. */
  enum Format {
    CSV,
    JSONL,
    DECK,
    POLICY
  }

  /** The form of a file by its name, and of YAML by its content. */
  static Format formatOf(Path file) throws IOException {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".csv")) {
      return Format.CSV;
    }
    if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
      return Format.JSONL;
    }
    try {
      return document(file).entries().containsKey("_format_version") ? Format.DECK : Format.POLICY;
    } catch (IllegalArgumentException e) {
      throw in(file, e);
    }
  }

  private static IllegalArgumentException in(Path file, IllegalArgumentException problem) {
    return new IllegalArgumentException("%s: %s".formatted(file, problem.getMessage()), problem);
  }

  /**
   * Reads a file, a key at a time, in the order of lines.
   *
   * @param in the bytes of the file
   * @throws IllegalArgumentException if it has another form; nothing was read of it
   */
  void read(Path file, Format format, InputStream in, Consumer<KeyRow> to) throws IOException {
    try {
      switch (format) {
        case CSV -> csv(new RowReader(in), to);
        case JSONL -> lines(new RowReader(in), to);
        case DECK -> ordered(KongFile.read(document(file)), to);
        case POLICY -> ordered(SubjectRows.read(document(file)), to);
      }
    } catch (IllegalArgumentException e) {
      throw in(file, e);
    }
  }

  private void csv(RowReader rows, Consumer<KeyRow> to) throws IOException {
    CsvRows csv = CsvRows.withHeader(rows);
    for (Optional<Row> row = rows.row(csv.separator());
        row.isPresent();
        row = rows.row(csv.separator())) {
      csv.row(row.get()).map(this::whole).ifPresent(to);
    }
  }

  private void lines(RowReader rows, Consumer<KeyRow> to) throws IOException {
    for (Optional<Row> row = rows.line(); row.isPresent(); row = rows.line()) {
      if (row.get().problem().isPresent() || !row.get().text().isBlank()) {
        to.accept(whole(line(row.get())));
      }
    }
  }

  private static KeyRow line(Row row) {
    if (row.problem().isPresent()) {
      return KeyRow.refused(row, row.problem().get());
    }
    try {
      return row.text().stripLeading().startsWith("{")
              && PolicyDocuments.document("", row.text()) instanceof Mapping mapping
          ? new KeyRow(row.line(), row.last(), Documents.json(mapping), List.of())
          : KeyRow.refused(row, "no JSON object");
    } catch (InvalidPolicyException e) {
      return KeyRow.refused(row, "no JSON object, or one that has a field twice");
    }
  }

  private void ordered(List<KeyRow> rows, Consumer<KeyRow> to) {
    rows.stream()
        .sorted(Comparator.comparingLong(KeyRow::line))
        .map(this::whole)
        .forEach(to);
  }

  private KeyRow whole(KeyRow row) {
    JsonObject json = row.json();
    if (json.getValue("tenant") == null) {
      tenant.ifPresent(name -> json.put("tenant", name));
    }
    if (json.getValue("plan") == null) {
      plan.ifPresent(name -> json.put("plan", name));
    }
    return row.hashed();
  }

  private static Mapping document(Path file) throws IOException {
    try {
      String text = PolicyDocuments.text(file);
      DocumentValue read = PolicyDocuments.document(
          file.toString(), text.startsWith("\uFEFF") ? text.substring(1) : text);
      if (read instanceof Mapping mapping) {
        return mapping;
      }
    } catch (InvalidPolicyException e) {
      Problem problem = e.problems().get(0);
      // Parsers quote what they do not understand, and it may be a secret.
      throw new IllegalArgumentException(
          "line %d, column %d: %s"
              .formatted(
                  problem.location().position().line(),
                  problem.location().position().column(),
                  problem.message().replaceAll("'[^']{2,}'|\"[^\"]{2,}\"", "'…'")),
          e);
    }
    throw new IllegalArgumentException(
        "neither CSV (.csv) nor JSON lines (.jsonl) by its name, nor a mapping");
  }
}
