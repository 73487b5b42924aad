package io.weir.operators.explain;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.state.inspect.QueueWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The decisions that all operations of a key would get now, with each limit of the key once. Immutable.
 *
 * @param all of one key at one time; at least one
 * @param audited the same by limits in audit mode, which are not enforced
 */
record KeyExplanation(List<Explanation> all, List<Explanation> audited) {
  KeyExplanation {
    all = List.copyOf(all);
    audited = List.copyOf(audited);
  }

  /** A limit as an operation sees it. */
  private record Seen(String operation, ExplainedLimit limit) {
    String name() {
      return "%s %s %s"
          .formatted(limit.limit().scope(), limit.limit().kind(), limit.limit().bucket());
    }
  }

  JsonObject toJson() {
    Explanation any = all.get(0);
    List<JsonObject> decisions = all.stream().map(Explanation::decision).toList();
    Stream<JsonObject> enforced = limits(all).values().stream().map(KeyExplanation::json);
    Stream<JsonObject> notEnforced = limits(audited).values().stream()
        .map(seen -> json(seen).put("from", "audit").put("audit", true));
    return any.who()
        .put("decisions", new JsonArray(decisions))
        .put("limits", new JsonArray(Stream.concat(enforced, notEnforced).toList()))
        .put("queue", new JsonArray(any.queue()))
        .put("states", any.states())
        .put("verdicts", verdicts().size())
        .put("words", new JsonArray(words()));
  }

  private static Map<String, List<Seen>> limits(List<Explanation> of) {
    return of.stream()
        .flatMap(one -> one.limits().stream().map(limit -> new Seen(one.operation(), limit)))
        .collect(groupingBy(Seen::name, LinkedHashMap::new, toList()));
  }

  // It is full if it has no room for one of its operations.
  private static JsonObject json(List<Seen> seen) {
    return seen.get(0)
        .limit()
        .toJson()
        .put("full", seen.stream().anyMatch(it -> it.limit().isFull()))
        .put("operations", new JsonArray(seen.stream().map(Seen::operation).toList()));
  }

  // A reason that forbids an operation for good mostly forbids them all: it stands once.
  private List<String> verdicts() {
    Map<String, List<Explanation>> same = all.stream()
        .collect(groupingBy(
            one -> one.forbidden().orElseGet(one::sentence), LinkedHashMap::new, toList()));
    return same.values().stream().map(KeyExplanation::verdict).toList();
  }

  private static String verdict(List<Explanation> same) {
    Explanation first = same.get(0);
    return same.size() == 1
        ? first.sentence()
        : "%s by %s: none of them can pass: %s"
            .formatted(
                same.stream().map(Explanation::operation).collect(joining(", ")),
                first.caller(),
                first.forbidden().orElseThrow());
  }

  private List<String> words() {
    List<String> words = new ArrayList<>(verdicts());
    // A sentence for each limit, then the holders of permits.
    List<String> enforced = Explanation.inWords(once(all));
    int sentences = once(all).size();
    words.addAll(enforced.subList(0, sentences));
    Explanation.inWords(once(audited)).forEach(limit -> words.add("not enforced: " + limit));
    words.addAll(enforced.subList(sentences, enforced.size()));
    all.get(0).queue().forEach(line -> words.add(QueueWords.of(line)));
    return words;
  }

  private static List<ExplainedLimit> once(List<Explanation> of) {
    return limits(of).values().stream().map(seen -> seen.get(0).limit()).toList();
  }
}
