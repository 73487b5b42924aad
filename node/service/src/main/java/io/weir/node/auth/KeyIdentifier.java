package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Subject;
import java.util.Optional;

/** Identifies callers by API keys in headers alone. */
public record KeyIdentifier(KeyLookup keys) implements Identifier {
  @Override
  public Future<Subject> identify(HttpServerRequest request, Optional<OperationRule> operation) {
    Optional<String> shown = KeyHeaders.shownIn(request.headers());
    if (shown.isEmpty()) {
      throw Identities.missing();
    }
    KeyHeaders.removeFrom(request.headers());
    return keys.ofKey(shown.get(), Addresses.peer(request))
        .map(subject -> subject.orElseThrow(Identities::invalid));
  }
}
