package io.weir.operators.status;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.operators.nodes.RedisNodes.SeenNode;
import io.weir.state.policy.PastRevision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Whether the cluster needs an operator: the verdict, from what its nodes say of themselves. Mutable; safe for use by
 * many threads.
 */
public final class ClusterStatus {
  /** The field of a node with its findings. */
  public static final String FINDINGS = "findings";

  static final String P99 = "redisP99Ms";
  static final String REQUESTS = "requests";
  static final String QUIET_SINCE = "quietSince";
  private static final String REVISION = "revision";
  private static final String REVISION_SINCE = "revisionSince";
  private static final String LISTENS = "listens";
  /** A node that starts may answer its first questions late; if nobody looked meanwhile, that is no excuse. */
  private static final Duration SILENT_FOR = Duration.ofSeconds(3);
  /** Nodes take over a policy at one moment, but for those that miss the notice. */
  private static final Duration DIFFERS_FOR = Duration.ofSeconds(10);

  private static final Comparator<Finding> URGENT_FIRST =
      Comparator.comparingInt((Finding one) -> Code.rank(one.code())).thenComparing(Finding::since);

  private final LongFunction<Optional<PastRevision>> published;
  private final Supplier<String> outage;
  private final AtomicReference<Optional<Instant>> silentSince =
      new AtomicReference<>(Optional.empty());
  private final AtomicReference<Instant> lookedAt = new AtomicReference<>(Instant.EPOCH);
  private final AtomicReference<Optional<Instant>> awaySince =
      new AtomicReference<>(Optional.empty());
  /** When this node last saw that the nodes together, and no single one of them, needed an operator. */
  private final AtomicReference<Instant> troubledAt = new AtomicReference<>(Instant.EPOCH);

  /**
   * The verdict of no look yet.
   *
   * @param published tells when a revision was put in force, if that is known
   * @param outage tells what happens to requests while Redis is away
   */
  public ClusterStatus(LongFunction<Optional<PastRevision>> published, Supplier<String> outage) {
    this.published = published;
    this.outage = outage;
  }

  /**
   * The nodes as one of them heard them.
   *
   * @param answers what each says of itself
   * @param asked how many should have answered
   * @param unseen those of the last hour that have not answered
   * @param isAway whether Redis is away, so that only this node could be asked
   */
  public record NodeAnswers(
      List<JsonObject> answers, int asked, List<SeenNode> unseen, boolean isAway) {
    public NodeAnswers {
      answers = List.copyOf(answers);
      unseen = List.copyOf(unseen);
    }

    private long newestRevision() {
      return answers.stream().mapToLong(node -> node.getLong(REVISION)).max().orElse(0);
    }
  }

  /** The verdict, as operators read it. */
  public JsonObject of(NodeAnswers nodes, Instant at) {
    List<Finding> findings = new ArrayList<>();
    away(nodes, at).ifPresent(findings::add);
    silent(nodes, at).ifPresent(findings::add);
    differing(nodes, at).ifPresent(findings::add);
    if (!findings.isEmpty()) {
      troubledAt.set(at);
    }
    // A Redis that does not answer is not slow, too.
    ofNodes(nodes.answers())
        .filter(one -> !nodes.isAway() || !one.code().equals(Code.REDIS_SLOW.word()))
        .forEach(one -> add(one, findings));
    findings.sort(URGENT_FIRST);
    JsonObject verdict =
        new JsonObject().put("at", at.toString()).put("needsYou", !findings.isEmpty());
    quietSince(nodes.answers())
        .filter(since -> findings.isEmpty())
        .ifPresent(since -> verdict.put(QUIET_SINCE, since.toString()));
    return verdict
        .put(FINDINGS, new JsonArray(findings.stream().map(Finding::toJson).toList()))
        .put(
            "nodes",
            new JsonObject()
                .put("asked", nodes.asked())
                .put("answered", nodes.answers().size())
                .put(
                    "unseen",
                    new JsonArray(
                        nodes.unseen().stream().map(ClusterStatus::unseen).toList())))
        .put(REQUESTS, requests(nodes.answers()).described())
        .put("redis", redis(nodes))
        .put("policy", policy(nodes.newestRevision()));
  }

  // A node knows nothing of the time before its start; one of an older version does not say.
  private Optional<Instant> quietSince(List<JsonObject> answers) {
    return answers.stream().allMatch(node -> node.containsKey(QUIET_SINCE))
        ? Stream.concat(
                Stream.of(troubledAt.get()),
                answers.stream().map(node -> Instant.parse(node.getString(QUIET_SINCE))))
            .max(Comparator.naturalOrder())
        : Optional.empty();
  }

  private static RecentRequests requests(List<JsonObject> answers) {
    return RecentRequests.sum(answers.stream()
        .filter(node -> node.containsKey(REQUESTS))
        .map(node -> node.getJsonObject(REQUESTS))
        .toList());
  }

  private static JsonObject unseen(SeenNode node) {
    return new JsonObject()
        .put(LISTENS, node.facts().getString(LISTENS))
        .put("seen", node.seen().toString());
  }

  private static Stream<Finding> ofNodes(List<JsonObject> answers) {
    return answers.stream()
        .flatMap(node -> node.getJsonArray(FINDINGS, new JsonArray()).stream()
            .map(one -> Finding.parse((JsonObject) one, node.getString(LISTENS))));
  }

  private static void add(Finding one, List<Finding> findings) {
    for (int i = 0; i < findings.size(); i++) {
      if (findings.get(i).isSame(one)) {
        findings.set(i, findings.get(i).with(one));
        return;
      }
    }
    findings.add(one);
  }

  private Optional<Finding> away(NodeAnswers nodes, Instant at) {
    return since(awaySince, nodes.isAway(), at)
        .map(since -> finding(Code.REDIS_AWAY, since, "Redis is away", outage.get()));
  }

  private Optional<Finding> silent(NodeAnswers nodes, Instant at) {
    int silent = nodes.asked() - nodes.answers().size();
    Instant before = lookedAt.getAndSet(at);
    return since(silentSince, silent > 0, at)
        .filter(since -> isLasting(since, at) || isLasting(before, at))
        .map(since -> finding(
            Code.NODES_SILENT,
            since,
            "%d of %d nodes %s not answer"
                .formatted(silent, nodes.asked(), silent == 1 ? "does" : "do"),
            ""));
  }

  private static boolean isLasting(Instant since, Instant at) {
    return Duration.between(since, at).compareTo(SILENT_FOR) >= 0;
  }

  private static Optional<Instant> since(
      AtomicReference<Optional<Instant>> known, boolean isSeen, Instant at) {
    return known.updateAndGet(
        before -> isSeen ? before.or(() -> Optional.of(at)) : Optional.empty());
  }

  private static Optional<Finding> differing(NodeAnswers nodes, Instant at) {
    long newest = nodes.newestRevision();
    List<Long> older = nodes.answers().stream()
        .map(node -> node.getLong(REVISION))
        .filter(revision -> revision < newest)
        .distinct()
        .sorted()
        .toList();
    Instant since = nodes.answers().stream()
        .filter(node -> node.getLong(REVISION) == newest)
        .map(node -> Instant.parse(node.getString(REVISION_SINCE)))
        .min(Comparator.naturalOrder())
        .orElse(at);
    return older.isEmpty() || Duration.between(since, at).compareTo(DIFFERS_FOR) < 0
        ? Optional.empty()
        : Optional.of(finding(
            Code.POLICY_DIFFERS,
            since,
            "Some nodes still have policy %d, others %d".formatted(older.get(0), newest),
            ""));
  }

  private static Finding finding(Code code, Instant since, String what, String meanwhile) {
    String doThis = (code.doThis("") + " " + meanwhile).strip();
    return new Finding(code.word(), "", since, what, doThis, List.of());
  }

  private static JsonObject redis(NodeAnswers nodes) {
    double away = nodes.isAway()
        ? 1
        : nodes.answers().stream()
            .mapToDouble(node -> node.getDouble("away"))
            .max()
            .orElse(0);
    JsonObject redis =
        new JsonObject().put("state", away >= 1 ? "away" : away > 0 ? "partly_away" : "answers");
    nodes.answers().stream()
        .filter(node -> node.containsKey(P99))
        .mapToDouble(node -> node.getDouble(P99))
        .max()
        .ifPresent(millis -> redis.put("p99Ms", millis));
    return redis;
  }

  private JsonObject policy(long revision) {
    JsonObject policy = new JsonObject().put(REVISION, revision);
    published
        .apply(revision)
        .filter(one -> one.atMillis() > 0)
        .ifPresent(one -> policy
            .put("since", Instant.ofEpochMilli(one.atMillis()).toString())
            .put("by", one.by()));
    return policy;
  }
}
