package io.weir.keys.command;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Nothing;
import io.weir.core.policy.schema.DocumentValue.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the declarative configuration of Kong. A consumer is a key here, with all of its credentials; its group is the
 * plan. Credentials and groups stand within their consumer, as decK writes them, or in lists of their own that name it,
 * as Kong itself writes them. Credentials of another kind than {@code keyauth_credentials} refuse their consumer. Mutable;
 * reads one file.
 */
final class KongFile {
  private static final String KEYS = "keyauth_credentials";
  private static final String CREDENTIALS = ".*_(credentials|secrets)";
  private static final Set<String> OF_CREDENTIAL =
      Set.of("key", "id", "consumer", "tags", "created_at", "updated_at");

  private final List<Consumer> all = new ArrayList<>();
  private final Map<String, Consumer> byName = new HashMap<>();
  private final List<KeyRow> strays = new ArrayList<>();

  private KongFile() {}

  /**
   * The keys of all consumers, and what belongs to none.
   *
   * @throws IllegalArgumentException if it has another form
   */
  static List<KeyRow> read(Mapping document) {
    KongFile file = new KongFile();
    Documents.items(document, "consumers").forEach(file::addConsumer);
    new TreeMap<>(document.entries())
        .keySet().stream()
            .filter(list -> list.matches(CREDENTIALS))
            .forEach(list ->
                Documents.items(document, list).forEach(one -> file.addCredential(list, one)));
    file.addGroups(document);
    List<KeyRow> rows = new ArrayList<>(file.strays);
    file.all.forEach(consumer -> rows.add(consumer.row()));
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("no keys were found (expected: consumers)");
    }
    return rows;
  }

  /** A consumer while its file is read. Mutable. */
  private static final class Consumer {
    private final long line;
    private final JsonObject json = new JsonObject();
    private final List<String> problems = new ArrayList<>();
    private final Set<String> groups = new TreeSet<>();

    Consumer(long line) {
      this.line = line;
    }

    void addKey(DocumentValue credential) {
      if (!(credential instanceof Mapping mapping)) {
        problems.add(KEYS + ": (expected: mappings with a key)");
        return;
      }
      mapping.entries().forEach((name, value) -> {
        if (!OF_CREDENTIAL.contains(name) && !(value instanceof Nothing)) {
          problems.add("%s.%s: is not taken over (expected: keys without it)"
              .formatted(KEYS, name.length() <= 40 ? name : name.substring(0, 40) + "…"));
        }
      });
      DocumentValue key = mapping.entries().getOrDefault("key", new Nothing(mapping.position()));
      KeyRow.addSecret(json, Documents.plain(key), KEYS + ".key", problems);
    }

    void refuse(String credentials) {
      problems.add("%s: are not taken over (expected: %s alone)".formatted(credentials, KEYS));
    }

    KeyRow row() {
      if (groups.size() > 1) {
        problems.add("groups: %d (expected: one, which is the plan)".formatted(groups.size()));
      }
      groups.forEach(group -> json.put("plan", group));
      return new KeyRow(line, line, json, problems);
    }
  }

  private void addConsumer(DocumentValue one) {
    Consumer consumer = new Consumer(one.line());
    all.add(consumer);
    if (!(one instanceof Mapping mapping)) {
      consumer.problems.add("(expected: a mapping)");
      return;
    }
    Optional<String> name =
        Documents.text(mapping, "username").or(() -> Documents.text(mapping, "custom_id"));
    if (name.isEmpty()) {
      consumer.problems.add("username, custom_id: nothing (expected: one of them)");
    }
    name.ifPresent(text -> consumer.json.put("id", KeyRow.id(text)));
    Documents.text(mapping, "custom_id")
        .ifPresent(id -> consumer.json.put("labels", new JsonObject().put("custom_id", id)));
    for (String field : List.of("username", "id")) {
      Documents.text(mapping, field).ifPresent(text -> byName.putIfAbsent(text, consumer));
    }
    mapping.entries().forEach((field, value) -> {
      if (field.equals("groups") || field.matches(CREDENTIALS)) {
        addNested(consumer, field, value);
      }
    });
  }

  private static void addNested(Consumer consumer, String field, DocumentValue value) {
    if (value instanceof Nothing) {
      return;
    }
    if (!(value instanceof Sequence list)) {
      consumer.problems.add(field + ": (expected: a list)");
      return;
    }
    for (DocumentValue item : list.items()) {
      if (field.equals(KEYS)) {
        consumer.addKey(item);
      } else if (field.equals("groups")) {
        Optional<String> group =
            item instanceof Mapping mapping ? Documents.text(mapping, "name") : Optional.empty();
        group.ifPresentOrElse(
            consumer.groups::add,
            () -> consumer.problems.add("groups: (expected: mappings with a name)"));
      } else {
        consumer.refuse(field);
        return;
      }
    }
  }

  private void addCredential(String list, DocumentValue one) {
    Optional<Consumer> consumer = consumerOf(one);
    if (consumer.isEmpty()) {
      strays.add(new KeyRow(
          one.line(),
          one.line(),
          new JsonObject(),
          List.of(
              list + ": of no consumer in the file (expected: consumer, one's username or id)")));
    } else if (list.equals(KEYS)) {
      consumer.get().addKey(one);
    } else {
      consumer.get().refuse(list);
    }
  }

  private Optional<Consumer> consumerOf(DocumentValue one) {
    return one instanceof Mapping mapping
        ? named(mapping.entries().get("consumer"))
        : Optional.empty();
  }

  // By its name or id, or an object with one of them.
  private Optional<Consumer> named(@Nullable DocumentValue reference) {
    Optional<String> name = reference instanceof Mapping mapping
        ? Documents.text(mapping, "username").or(() -> Documents.text(mapping, "id"))
        : Documents.text(reference);
    return name.map(byName::get);
  }

  private void addGroups(Mapping document) {
    Map<String, String> names = new LinkedHashMap<>();
    for (DocumentValue one : Documents.items(document, "consumer_groups")) {
      if (one instanceof Mapping group) {
        String name = Documents.text(group, "name").orElse("");
        Documents.text(group, "id").ifPresent(id -> names.put(id, name));
        names.put(name, name);
        Documents.items(group, "consumers")
            .forEach(member -> named(member).ifPresent(consumer -> consumer.groups.add(name)));
      }
    }
    for (DocumentValue one : Documents.items(document, "consumer_group_consumers")) {
      Optional<Consumer> consumer = consumerOf(one);
      Optional<String> group = one instanceof Mapping mapping
          ? Documents.text(mapping, "consumer_group").map(names::get)
          : Optional.empty();
      consumer.ifPresent(it -> group.ifPresentOrElse(
          it.groups::add, () -> it.problems.add("consumer_group_consumers: of no group here")));
    }
  }
}
