package io.weir.whole.page;

import static org.assertj.core.api.Assertions.assertThat;

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
      buckets:
        - { name: own, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Key] }] }
        - { name: team, scope: tenant, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Team] }] }
        - { name: all, scope: cluster, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [All] }] }
        - { name: mine, leased: true, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [LeasedKey] }] }
        - { name: ours, scope: cluster, leased: true, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [LeasedAll] }] }
      quotas:
        - { name: daily, scope: key, limit: 3, period: month, operations: [Day] }
        - { name: team-daily, scope: tenant, limit: 3, period: month, operations: [TeamDay] }
      permits:
        - { name: streams, scope: key, limit: 1, lease: 5m, operations: [Stream] }
        - { name: team-streams, scope: tenant, limit: 1, lease: 5m, operations: [TeamStream] }
      plans: { free: { buckets: [own, team, all, mine, ours] } }
      defaults: { plan: free }
      subjects:
        - { id: listed, tenant: acme }
        - { match: "user:*", tenant: app, plan: free }
        - { match: "boosted:*", tenant: spa, plan: free }
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
        new Kind("TeamStream", "team-streams", "permit", "tenant"));

    boolean isHeld() {
      return kind.equals("permit");
    }
  }

  static HttpResponse<String> send(NodeFixture node, String method, String path, String body) {
    return node.send(HttpRequest.newBuilder(node.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, BodyPublishers.ofString(body)));
  }

  /** Makes the records of subjects that have one. */
  static void makeRecords(NodeFixture node) {
    String tenant = new JsonObject().put("id", "crew").encode();
    assertThat(send(node, "POST", "/v1/tenants", tenant).statusCode()).isEqualTo(201);
    String key = new JsonObject().put("tenant", "crew").put("id", "recorded").encode();
    assertThat(send(node, "POST", "/v1/keys", key).statusCode()).isEqualTo(201);
  }

  /** Asks until the limit denies; the id of the denial. */
  static String denied(NodeFixture node, String subject, Kind kind) {
    String path = kind.isHeld() ? "/v1/reservations" : "/v1/check";
    String body = new JsonObject()
        .put("subject", subject)
        .put("operation", kind.operation())
        .encode();
    for (int i = 0; i < MOST_ASKS; i++) {
      JsonObject answer =
          NodeFixture.json(node.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE));
      if (answer.containsKey("id") && !"allowed".equals(answer.getString("decision"))) {
        return answer.getString("id");
      }
    }
    throw new AssertionError("%s of %s denied nothing".formatted(kind.limit(), subject));
  }
}
