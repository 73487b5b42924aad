package io.weir.spring;

import io.weir.core.decision.Decision;
import io.weir.library.AcquireRequest;
import io.weir.library.WeirListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** All listeners of an application, looked up at the first decision: they may need the {@code Weir} themselves. */
final class Listeners implements WeirListener {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private final ObjectProvider<WeirListener> provider;
  private final AtomicReference<@Nullable List<WeirListener>> found = new AtomicReference<>();

  Listeners(ObjectProvider<WeirListener> provider) {
    this.provider = provider;
  }

  @Override
  public void decided(AcquireRequest request, Decision decision) {
    each(one -> one.decided(request, decision));
  }

  @Override
  public void undecided(AcquireRequest request, Throwable error) {
    each(one -> one.undecided(request, error));
  }

  @Override
  public void policyInForce(long revision) {
    each(one -> one.policyInForce(revision));
  }

  // One that fails must not keep the others from hearing.
  private void each(Consumer<WeirListener> call) {
    for (WeirListener one : all()) {
      try {
        call.accept(one);
      } catch (RuntimeException e) {
        LOG.warn("{} failed", one.getClass().getName(), e);
      }
    }
  }

  private List<WeirListener> all() {
    List<WeirListener> known = found.get();
    if (known == null) {
      known = provider.orderedStream().toList();
      found.set(known);
    }
    return known;
  }
}
