package io.weir.windows;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.node.json.BodyFields;
import io.weir.windows.WindowStore.Choice;
import io.weir.windows.WindowStore.End;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/** Parses requests to a window, and calls the shared state. */
record WindowRequests(WindowStore store, Context context, UnansweredClaims unanswered) {
  private static final Map<String, End> ENDS =
      Map.of("finish", End.FINISH, "fail", End.FAIL, "release", End.RELEASE, "renew", End.RENEW);
  private static final Map<String, Choice> CHOICES = Map.of(
      "skip", Choice.SKIP, "retry", Choice.RETRY, "commit", Choice.COMMIT, "forget", Choice.FORGET);
  /** The actions of planners and workers on a window. */
  static final List<String> VERBS = List.of(
      "open", "claim", "finish", "fail", "release", "renew", "skip", "retry", "commit", "forget");

  private static final long LAST_NUMBER = (1L << 53) - 2;
  private static final int MAX_RESULT_BYTES = 4 << 10;
  private static final String CODE = "window_invalid";
  private static final Pattern CLAIM = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /** Whether a verb is for workers that have claimed a range. */
  static boolean isOfWorkers(String verb) {
    return ENDS.containsKey(verb);
  }

  /** Calls the shared state; throws {@link io.weir.node.answer.RefusedException} with all mistakes of the body. */
  Future<WindowAnswer> ask(WindowRule rule, String verb, Buffer body) {
    End end = ENDS.get(verb);
    if (end != null) {
      return answer(end(rule, end, body));
    }
    Choice choice = CHOICES.get(verb);
    if (choice != null) {
      return answer(decide(rule, choice, body));
    }
    return verb.equals("open") ? answer(open(rule, body)) : claim(rule, body);
  }

  private Future<WindowAnswer> answer(CompletionStage<WindowAnswer> asked) {
    return Future.fromCompletionStage(asked, context);
  }

  private CompletionStage<WindowAnswer> open(WindowRule rule, Buffer body) {
    BodyFields asked = new BodyFields(body, Set.of("from", "to"), CODE);
    long from = number(asked, "from", 0);
    long to = number(asked, "to", from);
    asked.refuseMistakes();
    return store.open(rule, from, to);
  }

  private Future<WindowAnswer> claim(WindowRule rule, Buffer body) {
    new BodyFields(body, Set.of(), CODE).refuseMistakes();
    String id = UUID.randomUUID().toString();
    return answer(store.claim(rule, id)).onFailure(error -> unanswered.add(rule, id));
  }

  private CompletionStage<WindowAnswer> end(WindowRule rule, End end, Buffer body) {
    String note = end == End.FINISH ? "result" : "error";
    boolean hasNote = end == End.FINISH || end == End.FAIL;
    BodyFields fields = new BodyFields(
        body, hasNote ? Set.of("from", "claim", note) : Set.of("from", "claim"), CODE);
    long from = number(fields, "from", 0);
    fields.require("claim");
    Optional<String> claim = claim(fields);
    Optional<String> text = fields.text(note, WindowRequests::isShort, "at most 4096 bytes");
    fields.refuseMistakes();
    return store.end(rule, from, claim.orElseThrow(), end, text.orElse(""));
  }

  private CompletionStage<WindowAnswer> decide(WindowRule rule, Choice choice, Buffer body) {
    if (choice == Choice.FORGET) {
      new BodyFields(body, Set.of(), CODE).refuseMistakes();
      return store.decide(rule, choice, 0);
    }
    String field = choice == Choice.COMMIT ? "through" : "from";
    BodyFields fields = new BodyFields(body, Set.of(field), CODE);
    long number = number(fields, field, 0);
    fields.refuseMistakes();
    return store.decide(rule, choice, number);
  }

  private static long number(BodyFields fields, String field, long min) {
    fields.require(field);
    return fields.whole(field, min, LAST_NUMBER).orElse(min);
  }

  private static Optional<String> claim(BodyFields fields) {
    return fields.text("claim", CLAIM.asMatchPredicate(), "a name of at most 64 characters");
  }

  private static boolean isShort(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length <= MAX_RESULT_BYTES;
  }
}
