package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The names in certificates. */
final class CertificatesTest {
  @Test
  void theCallersOwnNameCountsAndNotThatOfItsGroup() {
    assertThat(Certificates.commonName("CN=alice,CN=Users,DC=corp,DC=com")).contains("alice");
    assertThat(Certificates.commonName("CN=robot-7")).contains("robot-7");
    assertThat(Certificates.commonName("OU=x,O=y")).isEmpty();
    assertThat(Certificates.commonName("CN=#04020a0b")).isEmpty();
    assertThat(Certificates.commonName("no name at all")).isEmpty();
  }
}
