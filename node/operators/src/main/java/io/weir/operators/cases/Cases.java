package io.weir.operators.cases;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The cases that an event loop, a node or all of them know, by their kind. Immutable. */
public record Cases(Map<CaseType, List<Case>> ofKinds) {
  public Cases {
    ofKinds = Map.copyOf(ofKinds);
  }

  /** The cases of several. */
  public static Cases sum(List<Cases> all) {
    Map<CaseType, List<Case>> sums = new EnumMap<>(CaseType.class);
    for (CaseType kind : CaseType.values()) {
      Map<CaseName, List<Case>> same = new LinkedHashMap<>();
      all.stream()
          .flatMap(cases -> cases.of(kind).stream())
          .forEach(one ->
              same.computeIfAbsent(one.name(), name -> new ArrayList<>(1)).add(one));
      sums.put(kind, same.values().stream().map(Case::sum).toList());
    }
    return new Cases(sums);
  }

  List<Case> of(CaseType kind) {
    return ofKinds.getOrDefault(kind, List.of());
  }

  /** The first ones of each kind: those that a node sends. */
  Cases first(long nowMillis) {
    Map<CaseType, List<Case>> first = new EnumMap<>(CaseType.class);
    ofKinds.forEach((kind, all) -> first.put(
        kind, first(all.stream(), one -> one.isOpen(nowMillis), Case.MOST_FIRST).toList()));
    return new Cases(first);
  }

  /** The first ones of those that are open, and the first ones of the others. */
  static <T> Stream<T> first(Stream<T> all, Predicate<T> isOpen, Comparator<T> order) {
    return all.collect(Collectors.partitioningBy(isOpen)).values().stream()
        .flatMap(some -> some.stream().sorted(order).limit(CaseQuery.MOST_OF_NODE));
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    ofKinds.forEach((kind, all) ->
        json.put(kind.word(), new JsonArray(all.stream().map(Case::toJson).toList())));
    return json;
  }

  static Cases parse(JsonObject json) {
    Map<CaseType, List<Case>> ofKinds = new EnumMap<>(CaseType.class);
    for (CaseType kind : CaseType.values()) {
      ofKinds.put(
          kind,
          json.getJsonArray(kind.word(), new JsonArray()).stream()
              .map(JsonObject.class::cast)
              .map(Case::parse)
              .toList());
    }
    return new Cases(ofKinds);
  }
}
