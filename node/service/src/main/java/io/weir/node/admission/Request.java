package io.weir.node.admission;

import io.vertx.core.MultiMap;

/**
 * The parts of a request that admission reads, whichever door it came through.
 *
 * @param method in upper case
 * @param target the path and the query as they are sent (RFC 9112, section 3.2.1)
 */
public record Request(String method, String target, MultiMap headers) {
  /** The path, as it was sent. */
  public String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** The query, as it was sent; empty if there is none. */
  public String query() {
    int query = target.indexOf('?');
    return query < 0 ? "" : target.substring(query + 1);
  }
}
