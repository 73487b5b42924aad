package io.weir.core.policy.read;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields that a place of a policy may have, by the schema: all forms of the place together. Immutable. */
public final class KnownFields {
  private static final String REFERENCE = "#/$defs/";

  private final Map<?, ?> definitions;
  private final List<Map<?, ?>> forms;

  private KnownFields(Map<?, ?> definitions, List<Map<?, ?>> forms) {
    this.definitions = definitions;
    this.forms = forms;
  }

  /** The known fields of a whole policy. */
  public static KnownFields ofPolicy() {
    Map<String, Object> schema = PolicySchema.schema();
    return new KnownFields(map(schema.get("$defs")), List.of(schema));
  }

  /** The names of fields; none where the names are the operator's, as those of plans are. */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    resolved()
        .forEach(form ->
            map(form.get("properties")).keySet().forEach(name -> names.add(String.valueOf(name))));
    return names;
  }

  /** The known fields below a field, of a value by its name, or of an item of a list. */
  public KnownFields at(String step) {
    List<Map<?, ?>> next = new ArrayList<>();
    for (Map<?, ?> form : resolved()) {
      add(map(form.get("properties")).get(step), next);
      add(form.get("additionalProperties"), next);
      add(form.get("items"), next);
    }
    return new KnownFields(definitions, next);
  }

  private static void add(@Nullable Object form, List<Map<?, ?>> to) {
    if (form instanceof Map<?, ?> schema) {
      to.add(schema);
    }
  }

  private List<Map<?, ?>> resolved() {
    List<Map<?, ?>> all = new ArrayList<>();
    forms.forEach(form -> resolve(form, all));
    return all;
  }

  private void resolve(Map<?, ?> form, List<Map<?, ?>> to) {
    to.add(form);
    if (form.get("$ref") instanceof String name) {
      resolve(map(definitions.get(name.substring(REFERENCE.length()))), to);
    }
    if (form.get("anyOf") instanceof List<?> several) {
      several.forEach(one -> resolve(map(one), to));
    }
    for (String branch : List.of("then", "else")) {
      if (form.get(branch) instanceof Map<?, ?> one) {
        resolve(one, to);
      }
    }
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }
}
