/* Gauss-Legendre quadrature with 24 points on (0, 1): exact for polynomials of degree 47, and to
 * the last digit for smooth functions with about one oscillation. */
#ifndef FF_MATH_GAUSS_H
#define FF_MATH_GAUSS_H

enum { FF_GAUSS_HALF = 12 };

typedef struct ff_gauss_point {
  double x, weight;
} ff_gauss_point;

/* The points below 1/2; the others are 1 - x with the same weights. Roots of the Legendre
 * polynomial by Newton's method with 30 digits. */
static const ff_gauss_point ff_gauss[FF_GAUSS_HALF] = {
    {0.00240639000148931991, 0.0061706148999935997734},
    {0.012635722014345250901, 0.014265694314466831591},
    {0.030862723998633620738, 0.022138719408709903084},
    {0.056792236497799482893, 0.029649292457718390373},
    {0.089999007013048539023, 0.036673240705540152867},
    {0.12993790421072281788, 0.043095080765976637959},
    {0.17595317403151221537, 0.048809326052056944135},
    {0.22728926430558023217, 0.053722135057982817391},
    {0.28310324618697743076, 0.057752834026862800677},
    {0.34247866015191831281, 0.060835236463901695602},
    {0.40444056626319184542, 0.062918728173414148061},
    {0.46797155356869718696, 0.063969097673376078487},
};

/* Point i of 24 on (low, high), with its weight. */
static inline ff_gauss_point ff_gauss_at(int i, double low, double high) {
  const ff_gauss_point *p = &ff_gauss[i < FF_GAUSS_HALF ? i : 2 * FF_GAUSS_HALF - 1 - i];
  double x = i < FF_GAUSS_HALF ? p->x : 1 - p->x;
  return (ff_gauss_point){low + (high - low) * x, (high - low) * p->weight};
}

#endif
