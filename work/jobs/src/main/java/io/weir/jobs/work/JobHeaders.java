package io.weir.jobs.work;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.policy.Upstream;
import io.weir.jobs.rule.Job;
import io.weir.node.upstream.ForwardedHeaders;
import io.weir.node.upstream.RequestHeaders;
import java.util.Optional;
import java.util.Set;

/**
 * The headers of a job's requests.
 *
 * @param kept those of the job
 * @param token lets the upstream bring the result by itself
 */
record JobHeaders(Job job, MultiMap kept, Optional<String> token) implements RequestHeaders {
  private static final String JOB = "X-Weir-Job";
  private static final String TOKEN = "X-Weir-Job-Token";

  /** The headers that a request has at any server. */
  MultiMap common() {
    return MultiMap.caseInsensitiveMultiMap()
        .addAll(kept)
        .set("Idempotency-Key", job.name().id() + "-" + job.progress().run())
        .set("Via", ForwardedHeaders.VIA);
  }

  @Override
  public MultiMap own(Upstream server) {
    MultiMap headers = common()
        .set("X-Weir-Subject", job.name().subject())
        .set("X-Weir-Tenant", job.name().tenant())
        .set(JOB, name())
        .set(HttpHeaders.HOST, server.uri().getAuthority());
    token.ifPresent(known -> headers.set(TOKEN, known));
    return headers;
  }

  // A provider gets the job's name only if the operator lets it bring the result.
  @Override
  public MultiMap foreign(Upstream server, Set<String> keys) {
    MultiMap headers = common();
    ForwardedHeaders.removePrivate(headers, keys);
    headers.set(HttpHeaders.HOST, server.uri().getAuthority());
    token.ifPresent(known -> headers.set(JOB, name()).set(TOKEN, known));
    return headers;
  }

  private String name() {
    return job.name().operation() + "/" + job.name().id();
  }
}
