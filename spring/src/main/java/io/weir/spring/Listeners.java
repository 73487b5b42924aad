package io.weir.spring;

import io.weir.core.decision.Decision;
import io.weir.library.Ask;
import io.weir.library.WeirListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** All listeners of an application, looked up at the first decision: they may need the {@code Weir} themselves. */
final class Listeners implements WeirListener {
  private final ObjectProvider<WeirListener> provider;
  private final AtomicReference<@Nullable List<WeirListener>> found = new AtomicReference<>();

  Listeners(ObjectProvider<WeirListener> provider) {
    this.provider = provider;
  }

  @Override
  public void decided(Ask ask, Decision decision) {
    for (WeirListener one : all()) {
      one.decided(ask, decision);
    }
  }

  @Override
  public void undecided(Ask ask, Throwable error) {
    for (WeirListener one : all()) {
      one.undecided(ask, error);
    }
  }

  @Override
  public void policyInForce(long revision) {
    for (WeirListener one : all()) {
      one.policyInForce(revision);
    }
  }

  private List<WeirListener> all() {
    List<WeirListener> known = found.get();
    if (known == null) {
      known = provider.stream().toList();
      found.set(known);
    }
    return known;
  }
}
