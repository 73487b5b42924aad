package io.weir.whole.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;

/** A policy with a limit of each kind and scope, each with an operation of its own, and subjects of each origin. */
final class LimitKinds {
  static final String POLICY = """
      operations:
        - { name: Key, match: { path: /key } }
        - { name: Team, match: { path: /team } }
        - { name: All, match: { path: /all } }
        - { name: LeasedKey, match: { path: /leased-key } }
        - { name: LeasedAll, match: { path: /leased-all } }
        - { name: Day, match: { path: /day } }
        - { name: TeamDay, match: { path: /team-day } }
        - { name: Stream, match: { path: /stream } }
        - { name: TeamStream, match: { path: /team-stream } }
        - { name: Shed, match: { path: /shed } }
        - { name: Trial, match: { path: /trial } }
      buckets:
        - { name: own, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Key] }] }
        - { name: team, scope: tenant, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Team] }] }
        - { name: all, scope: cluster, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [All] }] }
        - { name: mine, leased: true, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [LeasedKey] }] }
        - { name: ours, scope: cluster, leased: true, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [LeasedAll] }] }
        - name: crowd
          burstPeriod: 3600
          throttleGroups: [{ rate: 4/h, operations: [Shed] }]
          congestion: { steps: "50,10x", period: 0m }
        - { name: trial, mode: audit, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Trial] }] }
      quotas:
        - { name: daily, scope: key, limit: 3, period: month, operations: [Day] }
        - { name: team-daily, scope: tenant, limit: 3, period: month, operations: [TeamDay] }
      permits:
        - { name: streams, scope: key, limit: 1, lease: 5m, operations: [Stream] }
        - { name: team-streams, scope: tenant, limit: 1, lease: 5m, operations: [TeamStream] }
      plans:
        free: { shedAt: 10x, buckets: [own, team, all, mine, ours, crowd, trial] }
        ice: { frozen: true }
      defaults: { plan: free }
      subjects:
        - { id: listed, tenant: acme }
        - { match: "user:*", tenant: app, plan: free }
        - { match: "boosted:*", tenant: spa, plan: free }
        - { match: "cold:*", tenant: pole, plan: free }
        - { match: "ice:*", tenant: pole, plan: ice }
      """;

  /** A subject of the policy, of a rule, of a rule with a boost in its record, and a key with a record. */
  static final List<String> SUBJECTS = List.of("listed", "user:4711", "boosted:1", "recorded");

  private static final int MOST_ASKS = 40;

  private LimitKinds() {}

  /**
   * A limit.
   *
   * @param operation that it alone limits
   */
  record Kind(String operation, String limit, String kind, String scope) {
    static final List<Kind> ALL = List.of(
        new Kind("Key", "own", "rate", "key"),
        new Kind("Team", "team", "rate", "tenant"),
        new Kind("All", "all", "rate", "cluster"),
        new Kind("LeasedKey", "mine", "rate", "key"),
        new Kind("LeasedAll", "ours", "rate", "cluster"),
        new Kind("Day", "daily", "quota", "key"),
        new Kind("TeamDay", "team-daily", "quota", "tenant"),
        new Kind("Stream", "streams", "permit", "key"),
        new Kind("TeamStream", "team-streams", "permit", "tenant"),
        new Kind("Shed", "congestion:crowd", "congestion", "key"));

    boolean isHeld() {
      return kind.equals("permit");
    }

    /** As the page says it. */
    String inWords() {
      return kind + " of the " + scope;
    }

    /** Whether {@link LimitKinds#boost} boosts it. */
    boolean isBoosted() {
      return List.of("own", "team", "daily", "team-daily", "streams", "team-streams")
          .contains(limit);
    }

    /** Whether it has a level: congestion is a multiplier, by the level of a bucket. */
    boolean hasLevel() {
      return !kind.equals("congestion");
    }
  }

  static HttpResponse<String> send(NodeFixture node, String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  /** A subject that is frozen, and how: by its record, by that of its tenant, by its plan. */
  record Frozen(String subject, String owner, String words) {
    static final List<Frozen> ALL = List.of(
        new Frozen("cold:1", "pole/cold:1", "key is frozen"),
        new Frozen("sailor", "fleet/", "tenant is frozen"),
        new Frozen("ice:1", "pole/ice:1", "plan is frozen"));
  }

  /** Makes the records of subjects that have one. */
  static void makeRecords(NodeFixture node) {
    for (String tenant : List.of("crew", "fleet", "spa")) {
      String record = new JsonObject().put("id", tenant).encode();
      assertThat(send(node, "POST", "/v1/tenants", record).statusCode()).isEqualTo(201);
    }
    String key = new JsonObject().put("tenant", "crew").put("id", "recorded").encode();
    assertThat(send(node, "POST", "/v1/keys", key).statusCode()).isEqualTo(201);
    String sailor = new JsonObject().put("tenant", "fleet").put("id", "sailor").encode();
    assertThat(send(node, "POST", "/v1/keys", sailor).statusCode()).isEqualTo(201);
    change(node, "/v1/tenants/fleet", "{\"state\": \"frozen\"}");
    change(node, "/v1/keys/cold:1", "{\"state\": \"frozen\"}");
  }

  /** Doubles the limits of the subject of a rule, and those of its tenant, by records of their own. */
  static void boost(NodeFixture node) {
    change(node, "/v1/keys/boosted:1", doubled("own", "daily", "streams"));
    change(node, "/v1/tenants/spa", doubled("team", "team-daily", "team-streams"));
  }

  private static String doubled(String bucket, String quota, String permits) {
    JsonArray twice = JsonArray.of(
        new JsonObject().put("bucket", bucket).put("rate", "6/h"),
        new JsonObject().put("limits", quota).put("limit", 6),
        new JsonObject().put("limits", permits).put("limit", 2));
    return new JsonObject().put("overrides", twice).encode();
  }

  private static void change(NodeFixture node, String path, String change) {
    HttpResponse<String> answer = send(node, "PATCH", path, change);
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
  }

  /** The answer to a service that asks for the subject. */
  static JsonObject check(NodeFixture node, String subject, String operation) {
    return asked(node, "/v1/check", subject, operation);
  }

  private static JsonObject asked(NodeFixture node, String path, String subject, String operation) {
    String body =
        new JsonObject().put("subject", subject).put("operation", operation).encode();
    return NodeFixture.json(
        node.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE));
  }

  /** Asks until the limit denies; the id of the denial. */
  static String denied(NodeFixture node, String subject, Kind kind) {
    String path = kind.isHeld() ? "/v1/reservations" : "/v1/check";
    for (int i = 0; i < MOST_ASKS; i++) {
      JsonObject answer = asked(node, path, subject, kind.operation());
      if (answer.containsKey("id") && !"allowed".equals(answer.getString("decision"))) {
        return answer.getString("id");
      }
    }
    throw new AssertionError("%s of %s denied nothing".formatted(kind.limit(), subject));
  }
}
