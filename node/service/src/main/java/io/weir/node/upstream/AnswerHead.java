package io.weir.node.upstream;

import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.node.intake.HopByHop;

/** The head of an upstream's answer, on its way to the caller. */
final class AnswerHead {
  private AnswerHead() {}

  /** Copies it into the answer to the caller, without the headers of the upstream's connection. */
  static void copy(HttpClientResponse head, HttpServerResponse response) {
    response.setStatusCode(head.statusCode()).setStatusMessage(head.statusMessage());
    if (head.headers().contains(HttpHeaders.DATE)) {
      response.headers().remove(HttpHeaders.DATE);
    }
    String connection = response.headers().get(HttpHeaders.CONNECTION);
    response.headers().addAll(head.headers());
    HopByHop.remove(response.headers());
    if (connection != null) {
      response.headers().set(HttpHeaders.CONNECTION, connection); // own header: the node stops
    }
    response.headers().remove(HttpHeaders.TRANSFER_ENCODING);
    response.headers().add("Via", ForwardedHeaders.VIA);
  }
}
