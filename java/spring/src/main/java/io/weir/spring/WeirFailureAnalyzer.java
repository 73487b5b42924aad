package io.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at the start what is wrong with the configuration, where, and what to do. */
final class WeirFailureAnalyzer extends AbstractFailureAnalyzer<WeirStartException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, WeirStartException cause) {
    return new FailureAnalysis(
        "%s: %s".formatted(cause.property(), cause.getMessage()), cause.remedy(), failure);
  }
}
