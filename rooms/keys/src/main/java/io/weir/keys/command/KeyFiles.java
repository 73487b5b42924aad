package io.weir.keys.command;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.DocumentValue;
import io.weir.core.policy.DocumentValue.Mapping;
import io.weir.core.policy.DocumentValue.Sequence;
import io.weir.core.policy.DocumentValue.Text;
import io.weir.node.json.JsonInput;
import io.weir.state.document.PolicyDocuments;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys from files: CSV, JSON lines, the declarative configuration of Kong (decK), and policies.
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
    String name = file.getFileName().toString();
    if (name.endsWith(".csv")) {
      return Format.CSV;
    }
    if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
      return Format.JSONL;
    }
    return document(file).entries().containsKey("_format_version") ? Format.DECK : Format.POLICY;
  }

  /**
   * Reads a file, a key at a time.
   *
   * @throws IllegalArgumentException if it has another form
   */
  void read(Path file, Format format, Reader reader, Consumer<KeyRow> to) throws IOException {
    switch (format) {
      case CSV -> csv(reader, to);
      case JSONL -> lines(file, reader, to);
      case DECK -> deck(document(file), to);
      case POLICY -> policy(document(file), to);
    }
  }

  private KeyRow row(long line, JsonObject json) {
    if (json.getValue("tenant") == null) {
      tenant.ifPresent(name -> json.put("tenant", name));
    }
    if (json.getValue("plan") == null) {
      plan.ifPresent(name -> json.put("plan", name));
    }
    return KeyRow.of(line, json);
  }

  // The first line has the names of the columns.
  private void csv(Reader reader, Consumer<KeyRow> to) throws IOException {
    CsvSchema schema = CsvSchema.emptySchema().withHeader();
    try (MappingIterator<Map<String, String>> rows =
        new CsvMapper().readerForMapOf(String.class).with(schema).readValues(reader)) {
      while (rows.hasNextValue()) {
        Map<String, String> cells = rows.nextValue();
        JsonObject json = new JsonObject();
        cells.forEach((name, value) -> {
          if (!value.isBlank()) {
            put(json, name.strip(), value.strip());
          }
        });
        to.accept(row(rows.getCurrentLocation().getLineNr() - 1L, json));
      }
    }
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

  private void lines(Path file, Reader reader, Consumer<KeyRow> to) throws IOException {
    BufferedReader lines = new BufferedReader(reader);
    long number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      try {
        to.accept(row(number, JsonInput.object(line)));
      } catch (DecodeException e) {
        throw new IllegalArgumentException(
            "%s, line %d: no JSON object".formatted(file, number), e);
      }
    }
  }

  private static Mapping document(Path file) throws IOException {
    DocumentValue read = PolicyDocuments.document(file.toString(), PolicyDocuments.text(file));
    if (read instanceof Mapping mapping) {
      return mapping;
    }
    throw new IllegalArgumentException("%s: %s (expected: a mapping)".formatted(file, read.kind()));
  }

  // A consumer of Kong is a key here, with all of its credentials; its group is the plan.
  private void deck(Mapping document, Consumer<KeyRow> to) {
    for (DocumentValue one : items(document, "consumers")) {
      if (!(one instanceof Mapping consumer)) {
        continue;
      }
      String name =
          text(consumer, "username").or(() -> text(consumer, "custom_id")).orElse("");
      JsonObject json = new JsonObject().put("id", KeyRow.id(name));
      items(consumer, "groups").stream()
          .findFirst()
          .filter(Mapping.class::isInstance)
          .flatMap(group -> text((Mapping) group, "name"))
          .ifPresent(group -> json.put("plan", group));
      text(consumer, "custom_id")
          .ifPresent(id -> json.put("labels", new JsonObject().put("custom_id", id)));
      for (DocumentValue credential : items(consumer, "keyauth_credentials")) {
        if (credential instanceof Mapping mapping) {
          text(mapping, "key").ifPresent(key -> KeyRow.addSecret(json, key));
        }
      }
      to.accept(row(consumer.line(), json));
    }
  }

  private void policy(Mapping document, Consumer<KeyRow> to) {
    if (document.entries().get("subjects") instanceof Mapping subjects) {
      subjects.entries().forEach((id, one) -> {
        Mapping subject =
            one instanceof Mapping mapping ? mapping : new Mapping(one.line(), Map.of());
        to.accept(ofPolicy(id, subject));
      });
    }
    for (DocumentValue one : items(document, "subjects")) {
      if (one instanceof Mapping subject && text(subject, "id").isPresent()) {
        to.accept(ofPolicy(text(subject, "id").orElseThrow(), subject));
      }
    }
  }

  private KeyRow ofPolicy(String id, Mapping subject) {
    JsonObject json = new JsonObject().put("id", id);
    subject.entries().forEach((name, value) -> {
      switch (name) {
        case "id" -> {}
        case "secretHash" ->
          json.put("secrets", new JsonArray().add(new JsonObject().put("hash", plain(value))));
        case "frozen" -> json.put("state", Boolean.TRUE.equals(plain(value)) ? "frozen" : "active");
        default -> json.put(name, plain(value));
      }
    });
    return row(subject.line(), json);
  }

  private static @Nullable Object plain(DocumentValue value) {
    if (value instanceof Mapping mapping) {
      JsonObject json = new JsonObject();
      mapping.entries().forEach((name, one) -> json.put(name, plain(one)));
      return json;
    }
    if (value instanceof Sequence list) {
      JsonArray json = new JsonArray();
      list.items().forEach(one -> json.add(plain(one)));
      return json;
    }
    if (value instanceof Text text) {
      return text.value();
    }
    if (value instanceof DocumentValue.Flag flag) {
      return flag.value();
    }
    return value instanceof DocumentValue.Numeral numeral
        ? new java.math.BigDecimal(numeral.digits())
        : null;
  }

  private static List<DocumentValue> items(Mapping mapping, String field) {
    return mapping.entries().get(field) instanceof Sequence list ? list.items() : List.of();
  }

  private static Optional<String> text(Mapping mapping, String field) {
    DocumentValue value = mapping.entries().get(field);
    if (value instanceof DocumentValue.Numeral numeral) {
      return Optional.of(numeral.digits());
    }
    return value instanceof Text text ? Optional.of(text.value()) : Optional.empty();
  }
}
